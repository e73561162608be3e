/* SPDX-License-Identifier: MIT */
/* check_graphs.c - OrtGraph, OrtNode and OrtValueInfo as they are read. */

#include "config.h"

#include "ort/editor_kit.h"

static const int64_t small[] = {2, 3};

/* t = x * k; y = t + t, with an attribute that is ignored; k is an initializer, x an input. */
struct fixture {
    float data[6];
    OrtGraph *graph;
    const OrtNode *nodes[2];
};

static void build(struct fixture *f)
{
    const char *const in[] = {"t", "t", NULL};
    const int64_t number = 7;
    OrtOpAttr *attr = NULL;
    size_t n = 0;

    memset(f, 0, sizeof *f);
    ok(editor->CreateGraph(&f->graph));
    add_node(f->graph, "Mul", "x", "k", "t");
    ok(ort->CreateOpAttr("number", &number, 1, ORT_OP_ATTR_INT, &attr));
    ok(editor->AddNodeToGraph(f->graph, make_node("Add", "sum", in, "y", &attr, 1)));
    set_input(f->graph, "x", small, 2);
    set_output(f->graph, "y", small, 2);
    for (int i = 0; i < 6; i++)
        f->data[i] = 3.0f;
    ok(editor->AddInitializerToGraph(f->graph, "k", floats(f->data, 6, small, 2), false));
    ok(ort->Graph_GetNumNodes(f->graph, &n));
    ck_assert_uint_eq(n, 2);
    ok(ort->Graph_GetNodes(f->graph, f->nodes, 2));
}

START_TEST(graph_lists_its_inputs_outputs_initializers_and_opsets)
{
    struct fixture f;
    const OrtValueInfo *infos[1];
    const OrtNode *parent = NULL;
    const char *text = NULL;
    const char *domains[1];
    int64_t versions[1];
    OrtModelMetadata *metadata = NULL;
    OrtModel *model;
    int64_t version = 0;
    size_t n = 7;

    build(&f);
    ok(ort->Graph_GetName(f.graph, &text));
    ck_assert_str_eq(text, "main_graph");
    ok(ort->Graph_GetModelPath(f.graph, &text));
    ck_assert_str_eq(text, "");
    ok(ort->Graph_GetOnnxIRVersion(f.graph, &version));
    ck_assert_int_ge(version, 8);
    ok(ort->Graph_GetParentNode(f.graph, &parent));
    ck_assert_ptr_null(parent);
    ok(ort->Graph_GetNumInputs(f.graph, &n));
    ck_assert_uint_eq(n, 1);
    ok(ort->Graph_GetInputs(f.graph, infos, 1));
    ok(ort->GetValueInfoName(infos[0], &text));
    ck_assert_str_eq(text, "x");
    ok(ort->Graph_GetNumOutputs(f.graph, &n));
    ck_assert_uint_eq(n, 1);
    ok(ort->Graph_GetOutputs(f.graph, infos, 1));
    ok(ort->GetValueInfoName(infos[0], &text));
    ck_assert_str_eq(text, "y");
    ok(ort->Graph_GetNumInitializers(f.graph, &n));
    ck_assert_uint_eq(n, 1);
    ok(ort->Graph_GetInitializers(f.graph, infos, 1));
    ok(ort->GetValueInfoName(infos[0], &text));
    ck_assert_str_eq(text, "k");

    ok(ort->Graph_GetNumOperatorSets(f.graph, &n));
    ck_assert_uint_eq(n, 0);
    model = model_of(f.graph);
    ok(ort->Graph_GetNumOperatorSets(f.graph, &n));
    ck_assert_uint_eq(n, 1);
    ok(ort->Graph_GetOperatorSets(f.graph, domains, versions, 1));
    ck_assert_str_eq(domains[0], "");
    ck_assert_int_eq(versions[0], 18);
    ok(ort->Graph_GetModelMetadata(f.graph, &metadata));
    ok(ort->ModelMetadataGetVersion(metadata, &version));
    ck_assert_int_eq(version, INT64_MAX);
    ort->ReleaseModelMetadata(metadata);
    ort->ReleaseModel(model);
}
END_TEST

START_TEST(graph_getters_refuse_an_array_that_is_too_short)
{
    struct fixture f;
    const OrtValueInfo *infos[1];
    const OrtOpAttr *attrs[1];
    const OrtNode *nodes[2];
    int64_t at[2];

    build(&f);
    fails(ort->Graph_GetNodes(f.graph, nodes, 1), ORT_INVALID_ARGUMENT, "the graph has 2");
    fails(ort->Graph_GetNodes(f.graph, NULL, 2), ORT_INVALID_ARGUMENT, "NULL");
    fails(ort->Graph_GetInputs(f.graph, infos, 0), ORT_INVALID_ARGUMENT, "inputs");
    fails(ort->Graph_GetOutputs(f.graph, infos, 0), ORT_INVALID_ARGUMENT, "outputs");
    fails(ort->Graph_GetInitializers(f.graph, infos, 0), ORT_INVALID_ARGUMENT, "initializers");
    fails(ort->Node_GetInputs(f.nodes[1], infos, 1), ORT_INVALID_ARGUMENT, "the node has 2");
    fails(ort->Node_GetOutputs(f.nodes[1], infos, 0), ORT_INVALID_ARGUMENT, "outputs");
    fails(ort->Node_GetAttributes(f.nodes[1], attrs, 0), ORT_INVALID_ARGUMENT, "attributes");
    ok(ort->Node_GetOutputs(f.nodes[0], infos, 1));
    fails(ort->ValueInfo_GetValueConsumers(infos[0], nodes, at, 1), ORT_INVALID_ARGUMENT,
          "'t' has 2");
    ort->ReleaseGraph(f.graph);
}
END_TEST

START_TEST(node_reports_the_properties_it_was_created_with)
{
    struct fixture f;
    const char *const in[] = {"a", "", "c", NULL};
    const OrtValueInfo *ends[3];
    const OrtOpAttr *attrs[1];
    const OrtOpAttr *found = NULL;
    const OrtGraph *graph = NULL;
    OrtNode *loose = make_node("Clip", "loose", in, "d", NULL, 0);
    OrtValue *tensor = NULL;
    const char *text = NULL;
    int64_t number = 0;
    size_t n = 7;
    int since = 0;

    build(&f);
    ok(ort->Node_GetId(f.nodes[1], &n));
    ck_assert_uint_eq(n, 1);
    ok(ort->Node_GetName(f.nodes[1], &text));
    ck_assert_str_eq(text, "sum");
    ok(ort->Node_GetOperatorType(f.nodes[1], &text));
    ck_assert_str_eq(text, "Add");
    ok(ort->Node_GetDomain(f.nodes[1], &text));
    ck_assert_str_eq(text, "");
    ok(ort->Node_GetEpName(f.nodes[1], &text));
    ck_assert_str_eq(text, "");
    ok(ort->Node_GetSinceVersion(f.nodes[1], &since));
    ck_assert_int_eq(since, -1);
    ok(ort->Node_GetNumImplicitInputs(f.nodes[1], &n));
    ck_assert_uint_eq(n, 0);
    ok(ort->Node_GetImplicitInputs(f.nodes[1], NULL, 0));
    ok(ort->Node_GetNumSubgraphs(f.nodes[1], &n));
    ck_assert_uint_eq(n, 0);
    ok(ort->Node_GetSubgraphs(f.nodes[1], NULL, 0, NULL));
    ok(ort->Node_GetGraph(f.nodes[1], &graph));
    ck_assert_ptr_eq(graph, f.graph);

    ok(ort->Node_GetNumAttributes(f.nodes[1], &n));
    ck_assert_uint_eq(n, 1);
    ok(ort->Node_GetAttributes(f.nodes[1], attrs, 1));
    ok(ort->Node_GetAttributeByName(f.nodes[1], "number", &found));
    ck_assert_ptr_eq(found, attrs[0]);
    ok(ort->ReadOpAttr(found, ORT_OP_ATTR_INT, &number, sizeof number, &n));
    ck_assert_int_eq(number, 7);
    fails(ort->OpAttr_GetTensorAttributeAsOrtValue(found, &tensor), ORT_INVALID_ARGUMENT,
          "'number' is not a tensor");
    fails(ort->Node_GetAttributeByName(f.nodes[1], "letter", &found), ORT_NOT_FOUND, "'letter'");
    ck_assert_ptr_null(found);

    ok(ort->Node_GetNumInputs(loose, &n));
    ck_assert_uint_eq(n, 3);
    ok(ort->Node_GetInputs(loose, ends, 3));
    ck_assert_ptr_null(ends[1]); /* left out */
    ok(ort->GetValueInfoName(ends[2], &text));
    ck_assert_str_eq(text, "c");
    ok(ort->Node_GetGraph(loose, &graph));
    ck_assert_ptr_null(graph);
    ort->ReleaseNode(loose);
    ort->ReleaseGraph(f.graph);
}
END_TEST

START_TEST(value_info_names_its_producer_and_consumers)
{
    struct fixture f;
    const OrtValueInfo *t[1];
    const OrtValueInfo *x[2];
    const OrtNode *nodes[2];
    const OrtNode *producer = NULL;
    int64_t at[2];
    size_t n = 0;

    build(&f);
    ok(ort->Node_GetOutputs(f.nodes[0], t, 1));
    ok(ort->ValueInfo_GetValueProducer(t[0], &producer, &n));
    ck_assert_ptr_eq(producer, f.nodes[0]);
    ck_assert_uint_eq(n, 0);
    ok(ort->ValueInfo_GetValueNumConsumers(t[0], &n));
    ck_assert_uint_eq(n, 2);
    ok(ort->ValueInfo_GetValueConsumers(t[0], nodes, at, 2));
    ck_assert_ptr_eq(nodes[0], f.nodes[1]);
    ck_assert_ptr_eq(nodes[1], f.nodes[1]);
    ck_assert_int_eq(at[0], 0);
    ck_assert_int_eq(at[1], 1);
    ok(ort->Node_GetInputs(f.nodes[0], x, 2));
    ok(ort->ValueInfo_GetValueProducer(x[0], &producer, NULL));
    ck_assert_ptr_null(producer);
    ort->ReleaseGraph(f.graph);
}
END_TEST

static void check_kind(const OrtValueInfo *info, bool required, bool optional, bool output,
                       bool constant)
{
    bool is = true;

    ok(ort->ValueInfo_IsRequiredGraphInput(info, &is));
    ck_assert_int_eq(is, required);
    ok(ort->ValueInfo_IsOptionalGraphInput(info, &is));
    ck_assert_int_eq(is, optional);
    ok(ort->ValueInfo_IsGraphOutput(info, &is));
    ck_assert_int_eq(is, output);
    ok(ort->ValueInfo_IsConstantInitializer(info, &is));
    ck_assert_int_eq(is, constant);
    ok(ort->ValueInfo_IsFromOuterScope(info, &is));
    ck_assert(!is);
}

START_TEST(value_info_reports_its_kind_and_type)
{
    struct fixture f;
    const OrtValueInfo *infos[2];
    const OrtValueInfo *y[1];
    const OrtTypeInfo *type = NULL;
    const OrtTensorTypeAndShapeInfo *shape = NULL;
    const OrtValue *value = NULL;
    OrtExternalInitializerInfo *external = NULL;
    OrtValueInfo *ends[2];
    ONNXTensorElementDataType dtype;

    build(&f);
    ok(ort->Node_GetInputs(f.nodes[0], infos, 2)); /* from before inputs and initializers */
    check_kind(infos[0], true, false, false, false);
    check_kind(infos[1], false, false, false, true);
    ok(ort->ValueInfo_GetInitializerValue(infos[0], &value));
    ck_assert_ptr_null(value);
    ok(ort->ValueInfo_GetInitializerValue(infos[1], &value));
    ck_assert_ptr_nonnull(value);
    ok(ort->ValueInfo_GetExternalInitializerInfo(infos[1], &external));
    ck_assert_ptr_null(external);
    for (int i = 0; i < 2; i++) {
        ok(ort->GetValueInfoTypeInfo(infos[i], &type));
        ok(ort->CastTypeInfoToTensorInfo(type, &shape));
        ok(ort->GetTensorElementType(shape, &dtype));
        ck_assert_int_eq(dtype, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
    }
    ok(ort->Node_GetOutputs(f.nodes[1], y, 1));
    check_kind(y[0], false, false, true, false);
    ok(ort->Node_GetOutputs(f.nodes[0], y, 1));
    check_kind(y[0], false, false, false, false);
    ok(ort->GetValueInfoTypeInfo(y[0], &type));
    ck_assert_ptr_null(type); /* it was not declared */

    ends[0] = float_info("k", small, 2);
    ends[1] = float_info("q", small, 2);
    ok(editor->SetGraphInputs(f.graph, ends, 2));
    check_kind(infos[0], false, false, false, false); /* x is not an input any more */
    check_kind(infos[1], false, true, false, false);
    ort->ReleaseGraph(f.graph);
}
END_TEST

START_TEST(graph_view_has_its_own_inputs_and_nodes)
{
    struct fixture f;
    float x[] = {1, 2, 3, 4, 5, 6};
    const OrtNode *none[1];
    const OrtOpAttr *attr = NULL;
    OrtGraph *view = NULL;
    OrtModel *model;
    OrtSession *session = NULL;
    OrtValue *result;
    const char *text = NULL;
    const OrtValueInfo *infos[1];
    const OrtNode *nodes[1];
    size_t n = 0;
    int64_t number = 0;

    build(&f);
    fails(ort->Graph_GetGraphView(f.graph, f.nodes, 0, &view), ORT_INVALID_ARGUMENT, "at least");
    none[0] = NULL;
    fails(ort->Graph_GetGraphView(f.graph, none, 1, &view), ORT_INVALID_ARGUMENT, "node 0");
    none[0] = f.nodes[1];
    ok(ort->Graph_GetGraphView(f.graph, none, 1, &view)); /* y = t + t */
    ok(ort->Graph_GetNumInputs(view, &n));
    ck_assert_uint_eq(n, 1);
    ok(ort->Graph_GetInputs(view, infos, 1));
    ok(ort->GetValueInfoName(infos[0], &text));
    ck_assert_str_eq(text, "t");
    ok(ort->Graph_GetNumInitializers(view, &n));
    ck_assert_uint_eq(n, 0);
    ok(ort->Graph_GetNodes(view, nodes, 1));
    ok(ort->Node_GetAttributeByName(nodes[0], "number", &attr));
    ok(ort->ReadOpAttr(attr, ORT_OP_ATTR_INT, &number, sizeof number, &n));
    ck_assert_int_eq(number, 7);
    ort->ReleaseGraph(view);

    view = NULL;
    ok(ort->Graph_GetGraphView(f.graph, f.nodes, 1, &view)); /* t = x * k */
    ort->ReleaseGraph(f.graph);
    ok(ort->Graph_GetNumInitializers(view, &n));
    ck_assert_uint_eq(n, 1);
    ok(ort->Graph_GetOutputs(view, infos, 1));
    ok(ort->GetValueInfoName(infos[0], &text));
    ck_assert_str_eq(text, "t");
    set_output(view, "t", small, 2); /* its type was not declared */
    model = model_of(view);
    ok(editor->CreateSessionFromModel(env, model, NULL, &session));
    ort->ReleaseModel(model);
    result = run_floats(session, "x", x, 6, small, 2, "t");
    ck_assert(float_data(result)[5] == 6.0f * 3.0f);
    ort->ReleaseValue(result);
    ort->ReleaseSession(session);
}
END_TEST

START_TEST(attributes_of_all_kinds_are_copied)
{
    static const char *const texts[] = {"a", "", "ccc"};
    static const float reals[] = {1.5f, 2.5f};
    const char *const in[] = {"x", NULL};
    OrtOpAttr *attrs[3] = {NULL, NULL, NULL};
    OrtGraph *graph = NULL;
    OrtGraph *view = NULL;
    const OrtNode *nodes[1];
    const OrtOpAttr *attr = NULL;
    char data[8];
    float copy[2];
    size_t n = 0;

    ok(editor->CreateGraph(&graph));
    ok(ort->CreateOpAttr("texts", texts, 3, ORT_OP_ATTR_STRINGS, &attrs[0]));
    ok(ort->CreateOpAttr("reals", reals, 2, ORT_OP_ATTR_FLOATS, &attrs[1]));
    ok(ort->CreateOpAttr("text", "abc", 3, ORT_OP_ATTR_STRING, &attrs[2]));
    ok(editor->AddNodeToGraph(graph, make_node("Thing", "n", in, "y", attrs, 3)));
    ok(ort->Graph_GetNodes(graph, nodes, 1));
    ok(ort->Graph_GetGraphView(graph, nodes, 1, &view));
    ort->ReleaseGraph(graph);
    ok(ort->Graph_GetNodes(view, nodes, 1));
    ok(ort->Node_GetAttributeByName(nodes[0], "texts", &attr));
    ok(ort->ReadOpAttr(attr, ORT_OP_ATTR_STRINGS, data, sizeof data, &n));
    ck_assert_uint_eq(n, 7);
    ck_assert_mem_eq(data, "a\0\0ccc", 7);
    ok(ort->Node_GetAttributeByName(nodes[0], "reals", &attr));
    ok(ort->ReadOpAttr(attr, ORT_OP_ATTR_FLOATS, copy, sizeof copy, &n));
    ck_assert_mem_eq(copy, reals, sizeof reals);
    ok(ort->Node_GetAttributeByName(nodes[0], "text", &attr));
    ok(ort->ReadOpAttr(attr, ORT_OP_ATTR_STRING, data, sizeof data, &n));
    ck_assert_uint_eq(n, 3);
    ort->ReleaseGraph(view);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("graphs");
    TCase *tcase = tcase_create("graphs");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tcase, setup_editor, teardown);
    tcase_add_test(tcase, graph_lists_its_inputs_outputs_initializers_and_opsets);
    tcase_add_test(tcase, graph_getters_refuse_an_array_that_is_too_short);
    tcase_add_test(tcase, node_reports_the_properties_it_was_created_with);
    tcase_add_test(tcase, value_info_names_its_producer_and_consumers);
    tcase_add_test(tcase, value_info_reports_its_kind_and_type);
    tcase_add_test(tcase, graph_view_has_its_own_inputs_and_nodes);
    tcase_add_test(tcase, attributes_of_all_kinds_are_copied);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
