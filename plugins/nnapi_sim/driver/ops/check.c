/* SPDX-License-Identifier: MIT */
/* check.c - operands of an operation against what it takes, and the level that they need. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

#include "ops/op.h"

static int tell(const struct nn_call *call, int code, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

static int tell(const struct nn_call *call, int code, const char *format, va_list args)
{
    char text[256];

    vsnprintf(text, sizeof text, format, args);
    return nn_fail(code, "%s: %s", nn_op_name(call->op), text);
}

bool nn_refuse(const struct nn_call *call, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    tell(call, ANEURALNETWORKS_BAD_DATA, format, args);
    va_end(args);
    return false;
}

int nn_op_failed(const struct nn_call *call, const char *format, ...)
{
    va_list args;
    int code;

    va_start(args, format);
    code = tell(call, ANEURALNETWORKS_OP_FAILED, format, args);
    va_end(args);
    return code;
}

static bool fits(char letter, int32_t subject, int32_t type)
{
    bool half = subject == F16;

    switch (letter) {
    case 't':
        return type == subject;
    case 'T':
        return nn_is_tensor(type);
    case 'w':
        return type == subject || (type == Q8C && nn_is_quant8(subject));
    case 'c':
        return type == (nn_is_quant8(subject) ? I32 : subject);
    case 'i':
        return type == ANEURALNETWORKS_INT32;
    case 'b':
        return type == ANEURALNETWORKS_BOOL;
    case 'f':
        return type == (half ? ANEURALNETWORKS_FLOAT16 : ANEURALNETWORKS_FLOAT32);
    case 's':
        return type == (half             ? ANEURALNETWORKS_FLOAT16
                        : subject == F32 ? ANEURALNETWORKS_FLOAT32
                                         : ANEURALNETWORKS_INT32);
    case 'I':
        return type == I32;
    case 'B':
        return type == B8;
    case 'm':
        return type == ANEURALNETWORKS_MODEL;
    case 'a':
        return type != ANEURALNETWORKS_MODEL;
    default:
        return false;
    }
}

/* Letters of the word that must be there, behind `word`. */
static uint32_t required(const char *word)
{
    uint32_t n = 0;

    for (; *word && *word != '|'; word++)
        n += isalpha((unsigned char)*word) != 0;
    return n;
}

/* Whether operands are as the word says. On false *wrong is the first that is not; *level rises. */
static bool match(const char *word, struct nn_tensor *const *operands, uint32_t count,
                  int32_t subject, uint32_t *wrong, int *level)
{
    bool optional = false;
    int needs = 0;
    uint32_t i = 0;

    for (; *word; word++) {
        if (*word == '|') {
            optional = true;
        } else if (isdigit((unsigned char)*word)) {
            needs = *word - '0';
        } else {
            bool repeats = word[1] == '*';
            uint32_t rest = repeats ? required(word + 2) : 0;

            word += repeats;
            do {
                *wrong = i;
                if (i == count)
                    return optional;
                if (operands[i]->present
                        ? !fits(repeats ? word[-1] : *word, subject, operands[i]->type)
                        : !optional)
                    return false;
                *level = *level > needs ? *level : needs;
                i++;
            } while (repeats && i + rest < count);
        }
    }
    *wrong = i;
    return i == count;
}

static bool check_inputs(struct nn_call *call, int32_t subject)
{
    uint32_t wrong[2] = {0, 0};
    uint32_t furthest;
    int at;

    for (int i = 0; i < 2 && call->op->in[i]; i++) {
        int level = call->level;

        if (match(call->op->in[i], call->in, call->in_count, subject, &wrong[i], &level)) {
            call->level = level;
            return true;
        }
    }
    at = wrong[1] > wrong[0];
    furthest = wrong[at];
    if (furthest >= call->in_count)
        return nn_refuse(call, "%u inputs are too few", call->in_count);
    if (furthest >= required(call->op->in[at]) && !strchr(call->op->in[at], '|') &&
        !strchr(call->op->in[at], '*'))
        return nn_refuse(call, "%u inputs are too many", call->in_count);
    return nn_refuse(call, "input %u cannot be %s%s", furthest,
                     bp_nnapi_operand_name(call->in[furthest]->type),
                     call->in[furthest]->present ? "" : ", nor left out");
}

static bool check_rank(struct nn_call *call, const struct nn_tensor *subject)
{
    const struct nn_op *op = call->op;

    if (!subject->ranked || !op->max_rank)
        return true;
    if (subject->rank < op->min_rank || subject->rank > op->max_rank)
        return nn_refuse(call, "rank %u of input %u is not %u to %u", subject->rank, op->subject,
                         op->min_rank, op->max_rank);
    return true;
}

/* Per-channel weights came with level 3. */
static void check_weights(struct nn_call *call)
{
    for (uint32_t i = 0; i < call->in_count; i++)
        if (call->in[i]->type == Q8C)
            nn_needs(call, 3);
}

bool nn_check(struct nn_call *call)
{
    const struct nn_op *op = call->op;
    const struct nn_tensor *subject;
    int ignored = 0;
    uint32_t wrong;

    call->level = op->level;
    if (op->subject >= call->in_count)
        return nn_refuse(call, "%u inputs are too few", call->in_count);
    subject = call->in[op->subject];
    if (!op->types[subject->type] || !subject->present)
        return nn_refuse(call, "input %u cannot be %s", op->subject,
                         bp_nnapi_operand_name(subject->type));
    nn_needs(call, op->types[subject->type]);
    if (!check_inputs(call, subject->type) || !check_rank(call, subject))
        return false;
    check_weights(call);
    if (!match(op->out, call->out, call->out_count, subject->type, &wrong, &ignored))
        return wrong < call->out_count && wrong < required(op->out)
                   ? nn_refuse(call, "output %u cannot be %s", wrong,
                               bp_nnapi_operand_name(call->out[wrong]->type))
                   : nn_refuse(call, "it has not %u outputs", call->out_count);
    if (op->same_quant && !nn_same_quant(subject, call->out[0]))
        return nn_refuse(call, "scale and zero point of its output are not those of its input");
    return !op->check || op->check(call);
}
