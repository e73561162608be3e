/* SPDX-License-Identifier: MIT */
/* graph.cc - models that the program makes. */

#include "cxx.h"

/* A graph of y = op(x), of three floats. */
static Ort::Graph one_node(const char *op, std::vector<Ort::OpAttr> attributes)
{
    Ort::TensorTypeAndShapeInfo shape(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, {3});
    Ort::TypeInfo type = Ort::TypeInfo::CreateTensorInfo(shape.GetConst());
    std::vector<Ort::ValueInfo> ins, outs;
    ins.emplace_back("x", type.GetConst());
    outs.emplace_back("y", type.GetConst());
    Ort::Graph graph;
    graph.SetInputs(ins);
    graph.SetOutputs(outs);
    Ort::Node node(op, "", "node", {"x"}, {"y"}, attributes);
    graph.AddNode(node);
    return graph;
}

std::vector<float> run_one(Ort::Session &session, std::vector<float> x)
{
    const char *inputs[] = {"x"}, *outputs[] = {"y"};
    Ort::Value in = tensor_on(x, {3});
    std::vector<Ort::Value> out = session.Run(Ort::RunOptions{nullptr}, inputs, &in, 1, outputs, 1);
    const float *y = out[0].GetTensorData<float>();
    return {y, y + 3};
}

void graph(Ort::Env &env, const std::string &)
{
    const float alpha = .5f;
    std::vector<Ort::OpAttr> attributes;
    attributes.emplace_back("alpha", &alpha, 1, ORT_OP_ATTR_FLOAT);
    Ort::ConstOpAttr attribute = attributes[0].GetConst();
    float same = 0;
    expect(attribute.GetName() == "alpha" && attribute.GetType() == ORT_OP_ATTR_FLOAT, "a name");
    Ort::ThrowOnError(attribute.GetValue(same).release());
    expect(same == alpha, "a value");
    Ort::Graph graph = one_node("LeakyRelu", std::move(attributes));
    const std::vector<Ort::Model::DomainOpsetPair> opsets = {{"", 17}};
    Ort::Model model(opsets);
    Ort::UnownedModel unowned{model};
    unowned.AddGraph(graph);
    Ort::Session session(env, model, Ort::SessionOptions());
    expect(run_one(session, {-2, 0, 2}) == std::vector<float>({-1, 0, 2}), "what it computes");

    std::vector<Ort::ValueInfo> inputs = session.GetInputs();
    Ort::ConstValueInfo in = inputs[0].GetConst();
    expect(in.GetName() == "x" && in.TypeInfo().GetONNXType() == ONNX_TYPE_TENSOR, "an input");
}

/* Views of graphs are for plug-in EPs; here a program can look at the graph that it makes too. */
void graph_views(Ort::Env &, const std::string &)
{
    Ort::Graph graph = one_node("Neg", {});
    Ort::ConstGraph view{graph};
    std::vector<Ort::ConstNode> nodes = view.GetNodes();
    expect(nodes.size() == 1 && nodes[0].GetOperatorType() == "Neg", "its node");
    expect(nodes[0].GetName() == "node" && nodes[0].GetDomain().empty(), "the node's name");
    std::vector<Ort::AttrNameSubgraph> subgraphs = nodes[0].GetSubgraphs();
    std::vector<Ort::OperatorSet> opsets = view.GetOperatorSets();
    expect(subgraphs.empty() && opsets.empty(), "no subgraphs, and no model around it");
    Ort::ValueInfoConsumerProducerInfo producer = view.GetOutputs()[0].GetProducerNode();
    expect(producer.node.GetName() == "node" && producer.index == 0, "where y comes from");
}
