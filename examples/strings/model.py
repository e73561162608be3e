# SPDX-License-Identifier: MIT
"""model.py - writes strings.onnx, which tells what sentences are about.

    python3 model.py [FILE]

It counts words that it knows, as a pipeline of scikit-learn would: text in, a label and a map of
probabilities for each sentence out. The map "prior" says how likely each topic was before.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'common'))
from onnx_writer import (FLOAT, INT64, STRING, map_type, node, sequence_type, tensor, tensor_type,
                         value, write_model)

TOPICS = ['food', 'travel', 'weather']
WORDS = {
    'food': ['bread', 'cheese', 'soup', 'cook', 'dinner', 'hungry'],
    'travel': ['train', 'ticket', 'station', 'flight', 'luggage', 'hotel'],
    'weather': ['rain', 'sun', 'wind', 'snow', 'cold', 'cloud'],
}
known = [word for topic in TOPICS for word in WORDS[topic]]
weights = [2.0 if word in WORDS[topic] else 0.0 for topic in TOPICS for word in known]

initializers = [
    tensor('topics', TOPICS, [len(TOPICS)], STRING),
]
nodes = [
    node('StringNormalizer', 'sentences', 'small', case_change_action='LOWER'),
    node('StringSplit', 'small', 'words counts'),
    node('TfIdfVectorizer', 'words', 'found', mode='TF', min_gram_length=1, max_gram_length=1,
         max_skip_count=0, ngram_counts=[0], ngram_indexes=list(range(len(known))), pool_strings=known),
    node('LinearClassifier', 'found', 'unused scores', domain='ai.onnx.ml', coefficients=weights,
         intercepts=[0.0] * len(TOPICS), classlabels_strings=TOPICS, multi_class=0,
         post_transform='NONE'),
    node('DictVectorizer', 'prior', 'prior.row', domain='ai.onnx.ml', string_vocabulary=TOPICS),
    node('Add', 'scores prior.row', 'sums'),
    node('Softmax', 'sums', 'shares', axis=-1),
    node('ArgMax', 'shares', 'best', axis=-1, keepdims=0),
    node('Gather', 'topics best', 'label'),
    node('ZipMap', 'shares', 'probabilities', domain='ai.onnx.ml', classlabels_strings=TOPICS),
]
write_model(
    sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), 'strings.onnx'),
    'strings',
    [value('sentences', tensor_type(STRING, ['sentences'])),
     value('prior', map_type(STRING, tensor_type(FLOAT, [])))],
    [value('label', tensor_type(STRING, ['sentences'])),
     value('counts', tensor_type(INT64, ['sentences'])),
     value('probabilities', sequence_type(map_type(STRING, tensor_type(FLOAT, []))))],
    nodes, initializers, opsets=(('', 20), ('ai.onnx.ml', 3)))
