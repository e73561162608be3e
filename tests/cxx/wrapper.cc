/* SPDX-License-Identifier: MIT */
/* wrapper.cc - every class of backplane.hpp, on models that it makes itself. */

#include "backplane.hpp"

#include <cstdio>
#include <cstdlib>
#include <future>
#include <thread>

namespace bp = backplane;
using namespace std::chrono_literals;

namespace
{

int failures;
std::atomic<long> news{0}; /* calls of operator new */

void fail(int line, const char *text)
{
    std::fprintf(stderr, "FAIL: line %d: %s\n", line, text);
    failures++;
}

} // namespace

/* not inline, so that compilers do not see malloc() and delete as a pair */
__attribute__((noinline)) void *operator new(std::size_t bytes)
{
    void *block = std::malloc(bytes > 0 ? bytes : 1);

    news++;
    if (!block)
        throw std::bad_alloc();
    return block;
}

__attribute__((noinline)) void operator delete(void *block) noexcept
{
    std::free(block);
}

__attribute__((noinline)) void operator delete(void *block, std::size_t) noexcept
{
    std::free(block);
}

#define CHECK(is_true)                                                                             \
    do {                                                                                           \
        if (!(is_true))                                                                            \
            fail(__LINE__, #is_true);                                                              \
    } while (0)

/* The statement throws an Error of that code, with the words in it. */
#define THROWS(rc, words, ...)                                                                     \
    do {                                                                                           \
        try {                                                                                      \
            __VA_ARGS__;                                                                           \
            fail(__LINE__, "nothing was thrown by " #__VA_ARGS__);                                 \
        } catch (const bp::Error &error) {                                                         \
            if (error.code() != (rc) || !std::strstr(error.what(), words)) {                       \
                fail(__LINE__, error.code_name());                                                 \
                fail(__LINE__, error.what());                                                      \
            }                                                                                      \
        }                                                                                          \
    } while (0)

namespace
{

/* ---- models, as the bytes of protobuf (https://protobuf.dev/programming-guides/encoding) --------- */

std::string varint(std::uint64_t value)
{
    std::string bytes;

    for (; value >= 0x80; value >>= 7)
        bytes += static_cast<char>(value | 0x80);
    return bytes + static_cast<char>(value);
}

std::string number(std::uint64_t field, std::uint64_t value)
{
    return varint(field << 3) + varint(value);
}

std::string bytes_of(std::uint64_t field, const std::string &content)
{
    return varint(field << 3 | 2) + varint(content.size()) + content;
}

/* A ValueInfoProto; a size below 0 is the dimension "n". */
std::string value_info(const char *name, std::uint64_t dtype, const std::vector<int> &dims)
{
    std::string shape;

    for (int dim : dims)
        shape +=
            bytes_of(1, dim < 0 ? bytes_of(2, "n") : number(1, static_cast<std::uint64_t>(dim)));
    return bytes_of(1, name) + bytes_of(2, bytes_of(1, number(1, dtype) + bytes_of(2, shape)));
}

std::string node(const char *op, const std::vector<std::string> &in,
                 const std::vector<std::string> &out, const std::string &rest = "")
{
    std::string bytes;

    for (const std::string &name : in)
        bytes += bytes_of(1, name);
    for (const std::string &name : out)
        bytes += bytes_of(2, name);
    return bytes_of(1, bytes + bytes_of(4, op) + rest);
}

std::string model(const std::string &graph)
{
    return number(1, 8) + bytes_of(7, graph + bytes_of(2, "g")) +
           bytes_of(8, bytes_of(1, "") + number(2, 17));
}

/* y = x + x, float32 [n, 3] */
std::string doubling()
{
    return model(node("Add", {"x", "x"}, {"y"}) + bytes_of(11, value_info("x", 1, {-1, 3})) +
                 bytes_of(12, value_info("y", 1, {-1, 3})));
}

/* y = x, strings [n] */
std::string words()
{
    return model(node("Identity", {"x"}, {"y"}) + bytes_of(11, value_info("x", 8, {-1})) +
                 bytes_of(12, value_info("y", 8, {-1})));
}

/* q = [x, x], a sequence; p = x + x */
std::string sequences()
{
    std::string tensor = bytes_of(1, number(1, 1)); /* TypeProto: a tensor of float32 */
    std::string type = bytes_of(4, bytes_of(1, tensor));

    return model(node("SequenceConstruct", {"x", "x"}, {"q"}) + node("Add", {"x", "x"}, {"p"}) +
                 bytes_of(11, value_info("x", 1, {-1})) +
                 bytes_of(12, bytes_of(1, "q") + bytes_of(2, type)) +
                 bytes_of(12, value_info("p", 1, {-1})));
}

/* y = q[i], of a sequence of float32 */
std::string items()
{
    std::string tensor = bytes_of(1, number(1, 1));
    std::string type = bytes_of(4, bytes_of(1, tensor));

    return model(node("SequenceAt", {"q", "i"}, {"y"}) +
                 bytes_of(11, bytes_of(1, "q") + bytes_of(2, type)) +
                 bytes_of(11, value_info("i", 7, {})) + bytes_of(12, value_info("y", 1, {-1})));
}

/* A loop of 2^62 turns, each v + x: it ends only when it is stopped. */
std::string endless()
{
    std::string turns =
        number(2, 7) + bytes_of(8, "m") + bytes_of(9, std::string("\0\0\0\0\0\0\0\x40", 8));
    std::string body = node("Identity", {"c"}, {"d"}) + node("Add", {"v", "x"}, {"w"}) +
                       bytes_of(2, "b") + bytes_of(11, value_info("i", 7, {})) +
                       bytes_of(11, value_info("c", 9, {})) +
                       bytes_of(11, value_info("v", 1, {1})) +
                       bytes_of(12, value_info("d", 9, {})) + bytes_of(12, value_info("w", 1, {1}));
    std::string attribute = bytes_of(5, bytes_of(1, "body") + bytes_of(6, body) + number(20, 5));

    return model(node("Loop", {"m", "", "x"}, {"y"}, attribute) + bytes_of(5, turns) +
                 bytes_of(11, value_info("x", 1, {1})) + bytes_of(12, value_info("y", 1, {1})));
}

/* An environment that logs nowhere. */
bp::Env make_env()
{
    bp::EnvConfig config;

    config.log = [](std::uint32_t, std::string_view, std::string_view) {};
    config.raw.threads = 2;
    return bp::Env(config);
}

/* ---- types --------------------------------------------------------------------------------------- */

template <typename T> constexpr bool is_owner()
{
    return std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T> &&
           !std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T>;
}
static_assert(is_owner<bp::Env>() && is_owner<bp::SessionOptions>() && is_owner<bp::Model>());
static_assert(is_owner<bp::Session>() && is_owner<bp::Report>() && is_owner<bp::Profile>());
static_assert(is_owner<bp::Tensor>());
static_assert(std::is_nothrow_move_constructible_v<bp::Object> &&
              std::is_nothrow_copy_constructible_v<bp::Object>);
static_assert(std::is_nothrow_move_constructible_v<bp::Value>);
static_assert(std::is_nothrow_move_constructible_v<bp::TensorView> &&
              std::is_nothrow_move_constructible_v<bp::OutputView>);
static_assert(std::is_nothrow_copy_constructible_v<bp::Error>);
static_assert(bp::dtype_of<float> == BP_DTYPE_F32 && bp::dtype_of<std::int8_t> == BP_DTYPE_I8 &&
              bp::dtype_of<long> == BP_DTYPE_I64 && bp::dtype_of<long long> == BP_DTYPE_I64 &&
              bp::dtype_of<unsigned short> == BP_DTYPE_U16 && bp::dtype_of<bool> == BP_DTYPE_BOOL &&
              bp::dtype_of<bp::Float16> == BP_DTYPE_F16 &&
              bp::dtype_of<std::complex<double>> == BP_DTYPE_C128 &&
              bp::dtype_of<char> == BP_DTYPE_NONE && bp::dtype_of<void *> == BP_DTYPE_NONE);
static_assert(!std::is_convertible_v<std::vector<float> &&, bp::Span<float>> &&
              std::is_convertible_v<std::vector<float> &&, bp::Span<const float>> &&
              std::is_convertible_v<std::vector<float> &, bp::Span<float>> &&
              !std::is_convertible_v<const std::vector<float> &, bp::Span<float>>);

void errors_outlive_their_call()
{
    std::vector<bp::Error> kept;

    try {
        bp::Env env = make_env();

        bp::Session(env, "/nowhere/model.onnx");
    } catch (const bp::Error &error) {
        kept.push_back(error);
    }
    CHECK(kept.size() == 1);
    if (kept.empty())
        return;
    kept.push_back(kept[0]); /* the vector grows and moves them */
    kept.push_back(kept[1]);
    kept.emplace_back(std::move(kept[2]));
    kept.erase(kept.begin() + 2);
    for (const bp::Error &error : kept) {
        CHECK(error.code() == BP_E_IO && error.detail() == BP_DETAIL_NO_SUCH_FILE);
        CHECK(std::strcmp(error.code_name(), "BP_E_IO") == 0 && error.native_code() == 0);
        CHECK(std::strstr(error.what(), "/nowhere/model.onnx"));
        CHECK(error.message() == error.what() && error.index() == 0);
    }
}

void results_hold_a_value_or_an_error()
{
    bp::Result<int> good(7);
    bp::Result<int> bad(bp::Error(BP_E_SHAPE, "words", BP_DETAIL_NONE, 3, -4));
    bp::Result<void> done;
    bp::Result<void> undone(bp::Error(BP_E_BUSY, "other words"));

    CHECK(good && good.value() == 7 && std::as_const(good).value() == 7);
    CHECK(!bad && bad.error().index() == 3 && bad.error().native_code() == -4);
    THROWS(BP_E_SHAPE, "words", (void)bad.value());
    THROWS(BP_E_SHAPE, "words", (void)std::move(bad).value());
    CHECK(done && !undone && undone.error().code() == BP_E_BUSY);
    done.value();
    THROWS(BP_E_BUSY, "other words", undone.value());
    try {
        (void)good.error();
        fail(__LINE__, "error() of a value");
    } catch (const std::bad_variant_access &) {
    }
}

/* ---- tensors and objects ------------------------------------------------------------------------- */

void views_check_their_memory()
{
    std::vector<float> x = {1, 2, 3, 4, 5, 6};
    const double few[] = {1, 2};
    std::array<std::int64_t, 1> one = {5};
    bp::TensorView view(x, {2, 3});
    bp::TensorView copy = view;
    bp::TensorView deep(x, {1, 1, 1, 1, 1, 1, 1, 1, 6});
    bp::TensorView moved(std::move(deep));
    bp::TensorView scalar(one, {});

    CHECK(copy.count() == 6 && copy.dtype() == BP_DTYPE_F32 && copy.bytes() == 24);
    CHECK(copy.dims().size() == 2 && copy.dims()[1] == 3 && copy.data<float>()[5] == 6);
    CHECK(moved.dims().size() == 9 && moved.dims()[8] == 6 && moved.count() == 6);
    CHECK(scalar.count() == 1 && scalar.data<std::int64_t>()[0] == 5);
    CHECK(bp::TensorView(few, {2}).dtype() == BP_DTYPE_F64);
    CHECK(bp::TensorView(x, {0, 7}).count() == 0);
    CHECK(bp::TensorView(BP_DTYPE_U4, x.data(), 2, {4}).bytes() == 2);
    THROWS(BP_E_INVALID, "24 bytes in memory of 16", bp::TensorView(bp::Span(x.data(), 4), {2, 3}));
    THROWS(BP_E_INVALID, "negative", bp::TensorView(x, {-1, 3}));
    THROWS(BP_E_INVALID, "addresses", bp::TensorView(x, {INT64_MAX, 16}));
    THROWS(BP_E_INVALID, "addresses",
           bp::TensorView(BP_DTYPE_STRING, x.data(), 24, {INT64_MAX, 1}));
    THROWS(BP_E_INVALID, "", bp::TensorView(BP_DTYPE_F64, x.data(), SIZE_MAX, {INT64_MAX}));
    THROWS(BP_E_INVALID, "memory of 0", bp::TensorView(BP_DTYPE_F32, nullptr, 24, {2, 3}));
    THROWS(BP_E_INVALID, "float32 read as int32", (void)view.data<std::int32_t>());
    THROWS(BP_E_INVALID, "read as string", (void)view.strings());
    THROWS(BP_E_INVALID, "without memory", bp::OutputView(BP_DTYPE_F32, nullptr, 4));

    bp_tensor device = view.raw();
    device.space = 1;
    THROWS(BP_E_INVALID, "device", (void)bp::TensorView{device});
#ifdef __cpp_lib_span
    std::span<float> span(x);
    std::span<const float> back = bp::TensorView(span, {6}).data<float>();
    CHECK(back.data() == x.data() && back.size() == 6);
    bp::Span<float> own = std::span<float>(x);
    CHECK(own.size() == 6);
#endif
}

void tensors_own_their_memory()
{
    std::vector<bp::Tensor> many;
    bp::Tensor tensor = bp::Tensor::of<float>({2, 2}, {1, 2, 3, 4});
    std::string name;

    for (int i = 0; i < 20; i++)
        many.push_back(bp::Tensor::of<std::int64_t>({i}));
    CHECK(many[19].count() == 19 && many[19].data<std::int64_t>()[18] == 0);

    bp::Tensor moved(std::move(tensor));
    CHECK(tensor.dtype() == BP_DTYPE_NONE && tensor.count() == 0);
    THROWS(BP_E_INVALID, "moved from", (void)tensor.view());
    THROWS(BP_E_INVALID, "none read as float32", (void)tensor.data<float>());
    tensor = std::move(moved);
    CHECK(tensor.data<float>()[3] == 4);
    tensor.data<float>()[3] = 9;

    bp::Tensor copy =
        bp::Tensor::decode(tensor.encode("weight").data(), tensor.encode("weight").size(), &name);
    CHECK(name == "weight" && std::as_const(copy).data<float>()[3] == 9);
    tensor = bp::Tensor();
    CHECK(tensor.count() == 0);
    THROWS(BP_E_INVALID, "", bp::Tensor::decode("\xff\xff", 2));
    THROWS(BP_E_INVALID, "3 elements for a tensor of 4", bp::Tensor::of<float>({2, 2}, {1, 2, 3}));
    THROWS(BP_E_INVALID, "", bp::Tensor::of<float>({-2}));

    bp::Tensor strings = bp::Tensor::strings({2, 2}, {"a", "", "a string of many letters", "d"});
    bp::Tensor other = std::move(strings);
    CHECK(other.strings()[2] == "a string of many letters" && other.strings()[1].empty());
    CHECK(bp::Tensor::strings({0}, {}).strings().empty());
    THROWS(BP_E_INVALID, "1 strings for a tensor of 3", bp::Tensor::strings({3}, {"x"}));
}

void objects_are_counted()
{
    bp::Object none;
    bp::Object tensor(bp::Tensor::of<float>({2}, {1, 2}));
    bp::Object sequence = bp::Object::sequence({tensor, tensor});
    bp::Object keys(bp::Tensor::strings({2}, {"a", "b"}));
    bp::Object map = bp::Object::map(keys, tensor);
    bp::Object optional = bp::Object::optional(tensor);
    bp::Object empty = bp::Object::optional(none);
    bp::Object item;

    CHECK(tensor && !none && tensor.kind() == BP_KIND_TENSOR && tensor.size() == 0);
    {
        bp::Object copy = sequence;
        bp::Object moved = std::move(copy);

        CHECK(!copy && moved.size() == 2 && moved.kind() == BP_KIND_SEQUENCE);
        item = moved[1];
    }
    sequence = bp::Object::sequence({});
    CHECK(item.tensor().data<float>()[1] == 2 && sequence.size() == 0);
    item = *&item;
    CHECK(item.tensor().count() == 2);
    CHECK(map.size() == 2 && map[0].tensor().strings()[1] == "b");
    CHECK(optional.size() == 1 && empty.size() == 0 && empty.kind() == BP_KIND_OPTIONAL);
    THROWS(BP_E_INVALID, "empty Object", (void)none.kind());
    THROWS(BP_E_INVALID, "empty Object", bp::Object::sequence({tensor, none}));
    THROWS(BP_E_INVALID, "item 2", (void)map[2]);
    THROWS(BP_E_INVALID, "no tensor", (void)map.tensor());
    THROWS(BP_E_INVALID, "", bp::Object::map(keys, bp::Object(bp::Tensor::of<float>({3}))));

    bp::Object at(bp::Tensor::of<std::int64_t>({2}, {0, 3}));
    bp::Object sparse = bp::Object::sparse(BP_SPARSE_COO, BP_DTYPE_F32, {4}, {tensor, at});
    CHECK(sparse.kind() == BP_KIND_SPARSE && sparse.size() == 2);
    THROWS(BP_E_INVALID, "", bp::Object::sparse(BP_SPARSE_COO, BP_DTYPE_F32, {3}, {tensor, at}));

    std::string proto = bp::Tensor::of<float>({1}, {5}).encode();
    bp::Object decoded = bp::Object::decode(proto.data(), proto.size(), BP_KIND_TENSOR);
    CHECK(decoded.tensor().data<float>()[0] == 5);
}

/* ---- sessions ------------------------------------------------------------------------------------ */

void sessions_run()
{
    bp::Env env = make_env();
    bp::Session session(bp::Model::from_bytes(env, doubling()));
    std::vector<float> x = {1, 2, 3, 4, 5, 6};

    auto all = session.run({{"x", bp::TensorView(x, {2, 3})}});
    CHECK(all.size() == 1 && all[0].is_tensor() && all[0].tensor().dims()[0] == 2);
    CHECK(all[0].tensor().data<float>()[5] == 12);
    THROWS(BP_E_INVALID, "is a tensor", (void)all[0].object());
    bp::Tensor taken = std::move(all[0]).tensor();
    CHECK(taken.data<float>()[0] == 2);

    auto again = session.run({{0, taken}}, {"y"});
    CHECK(again[0].tensor().data<float>()[0] == 4);
    again = session.run({{0, taken}}, {0});
    again[0].tensor().data<float>()[0] = 1;

    std::string name = "y";
    std::vector<bp::Port> ports = {name, 0u};
    CHECK(ports[0].is_named() && ports[1].index() == 0);

    std::vector<bp::IoInfo> in = session.inputs();
    CHECK(in.size() == 1 && in[0].name == "x" && in[0].dtype == BP_DTYPE_F32 && in[0].has_rank);
    CHECK(in[0].dims.size() == 2 && in[0].dims[0].symbol == "n" && in[0].dims[0].value == -1 &&
          in[0].dims[1].value == 3 && in[0].dims[1].symbol.empty() && !in[0].is_optional());
    CHECK(session.outputs().size() == 1 && session.find_output("y") == 0);
    THROWS(BP_E_INVALID, "z", (void)session.find_input("z"));
    CHECK(session.providers().back() == "cpu");
    CHECK(session.stats().runs == 3);
    CHECK(env.stats().n_sessions == 1 && env.threads() == 2);
    CHECK(session.trim() > 0 && env.trim() == 0);
    CHECK(session.report().provider_count() >= 1 && session.report().node_count() == 1);
    CHECK(std::strcmp(session.report().node(0).op, "Add") == 0);
    CHECK(session.report().group_count() == 1 && session.report().group(0).n_nodes == 1);
    CHECK(std::strcmp(session.report().provider(0).name, "cpu") == 0);
    CHECK(session.report().json().find("\"Add\"") != std::string::npos);
    THROWS(BP_E_INVALID, "", (void)session.report().node(1));
}

void runs_refuse_what_is_wrong()
{
    bp::Env env = make_env();
    bp::Session session(bp::Model::from_bytes(env, doubling()));
    std::vector<float> x(6);
    std::vector<double> wrong(6);
    bp::TensorView view(x, {2, 3});

    THROWS(BP_E_INVALID, "x", session.run({}));
    THROWS(BP_E_INVALID, "'q'", session.run({{"x", view}}, {"q"}));
    THROWS(BP_E_INVALID, "", session.run({{"x", view}}, {1}));
    THROWS(BP_E_INVALID, "", session.run({{-1, view}}));
    THROWS(BP_E_INVALID, "", session.run({{"x", bp::TensorView()}}));
    THROWS(BP_E_INVALID, "", session.run({{"x", bp::TensorView(wrong, {2, 3})}}));
    THROWS(BP_E_SHAPE, "", session.run({{"x", bp::TensorView(x, {3, 2})}}));

    auto twice = session.try_run({{"x", view}, {0, view}});
    CHECK(!twice && twice.error().detail() == BP_DETAIL_INPUT_TWICE);
    auto missing = session.try_run({});
    CHECK(!missing && missing.error().detail() == BP_DETAIL_INPUT_MISSING &&
          missing.error().code() == BP_E_INVALID);
    CHECK(session.try_run({{"x", view}}).value().size() == 1);

    bp::Session moved(std::move(session));
    THROWS(BP_E_INVALID, "moved from", session.run({{"x", view}}));
    THROWS(BP_E_INVALID, "moved from", session.run({{"x", view}}, {"y"}));
    THROWS(BP_E_INVALID, "moved from", (void)session.inputs());
    CHECK(!session.try_run({}) && !session.try_run_into({}, {}));
    session = std::move(moved);
    CHECK(session.run({{"x", view}}).size() == 1);
}

void runs_write_to_memory_of_the_caller()
{
    bp::Env env = make_env();
    bp::Session session(bp::Model::from_bytes(env, doubling()));
    std::vector<float> x = {1, 2, 3, 4, 5, 6};
    std::vector<float> y(6);
    std::array<float, 3> small = {};
    std::vector<std::int32_t> wrong(6);
    bp::OutputView out(y);
    bp::OutputView too_small(small);
    bp::OutputView other(wrong);
    long before;

    THROWS(BP_E_INVALID, "none read as float32", (void)out.data<float>());
    session.run_into({{"x", bp::TensorView(x, {2, 3})}}, {{"y", out}});
    CHECK(y[5] == 12 && out.dims().size() == 2 && out.dims()[0] == 2 && out.dims()[1] == 3);
    CHECK(out.data<float>().data() == y.data());
    session.run_into({{"x", bp::TensorView(x, {1, 3})}}, {{"y", out}});
    CHECK(out.data<float>().size() == 3);

    THROWS(BP_E_SPACE, "y", session.run_into({{0, bp::TensorView(x, {2, 3})}}, {{0, too_small}}));
    THROWS(BP_E_INVALID, "none read", (void)too_small.data<float>());
    THROWS(BP_E_INVALID, "elements of float32, its memory of int32",
           session.run_into({{0, bp::TensorView(x, {2, 3})}}, {{0, other}}));
    CHECK(session.try_run_into({{0, bp::TensorView(x, {1, 3})}}, {{0, too_small}}));

    std::vector<bp::Feed> feeds;
    std::vector<bp::Target> targets;
    feeds.emplace_back(0, bp::TensorView(x, {2, 3}));
    targets.emplace_back("y", out);
    session.run_into(feeds, targets);
    before = news;
    for (int i = 0; i < 100; i++)
        session.run_into(feeds, targets, bp::RunOptions().timeout(1min));
    CHECK(news == before);
}

void strings_and_sequences_pass()
{
    bp::Env env = make_env();
    bp::Session same(bp::Model::from_bytes(env, words()));
    bp::Session make(bp::Model::from_bytes(env, sequences()));
    bp::Session take(bp::Model::from_bytes(env, items()));
    std::vector<float> x = {1, 2};

    auto text = same.run({{"x", bp::Tensor::strings({3}, {"one", "", "a word of many letters"})}});
    CHECK(text[0].tensor().strings()[2] == "a word of many letters");
    CHECK(text[0].tensor().strings()[1].empty());
    bp::Tensor kept = std::move(text[0]).tensor();
    text.clear();
    CHECK(kept.view().strings()[0] == "one");

    auto values = make.run({{"x", bp::TensorView(x, {2})}});
    CHECK(values.size() == 2 && !values[0].is_tensor() && values[1].is_tensor());
    THROWS(BP_E_INVALID, "no tensor", (void)values[0].tensor());
    CHECK(values[0].object().size() == 2);
    auto item = take.run({{"q", values[0].object()}, {"i", bp::Tensor::of<std::int64_t>({}, {1})}});
    CHECK(item[0].tensor().data<float>()[1] == 2);
    CHECK(make.outputs()[0].kind == BP_KIND_SEQUENCE);
}

/* The owners go in the order in which they came: what they need lives on. */
void owners_may_end_in_any_order()
{
    std::optional<bp::Env> env = make_env();
    std::optional<bp::Model> model = bp::Model::from_bytes(*env, doubling());
    std::optional<bp::Report> plan(std::in_place, *env, *model);
    std::vector<bp::Session> sessions;
    std::vector<float> x(3, 4);

    for (int i = 0; i < 5; i++)
        sessions.emplace_back(*model);
    bp::Session shared = sessions[0].share();
    CHECK(plan->node_count() == 1 && plan->json().size() > 100);
    bp::Report moved(std::move(*plan));
    THROWS(BP_E_INVALID, "empty report", (void)plan->node_count());
    *plan = std::move(moved);
    model.reset();
    env.reset();
    CHECK(plan->provider_count() >= 1);
    sessions.erase(sessions.begin(), sessions.begin() + 4);
    CHECK(shared.run({{0, bp::TensorView(x, {1, 3})}})[0].tensor().data<float>()[2] == 8);
    CHECK(sessions[0].run({{0, bp::TensorView(x, {1, 3})}}).size() == 1);

    bp::Env one = make_env();
    bp::Env two = std::move(one);
    THROWS(BP_E_INVALID, "empty Env", (void)one.threads());
    THROWS(BP_E_INVALID, "empty Env", bp::Model::from_bytes(one, doubling()));
    one = std::move(two);
    CHECK(one.threads() == 2);
    THROWS(BP_E_INVALID, "", bp::Model::from_bytes(one, "no model"));
    THROWS(BP_E_IO, "/nowhere", bp::Model(one, "/nowhere"));
}

void models_are_described()
{
    bp::Env env = make_env();
    std::string bytes = doubling();
    bp::Model model = bp::Model::from_memory(env, bytes.data(), bytes.size());

    CHECK(model.info().n_nodes == 1 && model.inputs()[0].name == "x");
    CHECK(model.outputs()[0].dims[1].value == 3);
    bp::Model moved(std::move(model));
    THROWS(BP_E_INVALID, "empty Model", (void)model.info());
    THROWS(BP_E_INVALID, "empty Model", bp::Session{model});
    CHECK(bp::Session(moved).inputs().size() == 1);
}

/* ---- stopping ------------------------------------------------------------------------------------ */

void runs_stop_in_time()
{
    using clock = std::chrono::steady_clock;
    bp::Env env = make_env();
    bp::Session session(bp::Model::from_bytes(env, endless()));
    std::vector<float> x = {1};
    std::vector<bp::Feed> feeds = {{"x", bp::TensorView(x, {1})}};
    bp::Cancel cancel;
    clock::time_point start = clock::now();

    THROWS(BP_E_TIMEOUT, "", session.run(feeds, {}, bp::RunOptions().timeout(30ms)));
    CHECK(clock::now() - start >= 30ms && clock::now() - start < 20s);
    THROWS(BP_E_TIMEOUT, "",
           session.run(feeds, {}, bp::RunOptions().deadline(clock::now() + 30ms)));
    for (bp::RunOptions past :
         {bp::RunOptions().timeout(0s), bp::RunOptions().timeout(-1h),
          bp::RunOptions().timeout(std::chrono::hours::min()),
          bp::RunOptions().deadline(clock::now() - 1h),
          bp::RunOptions().deadline(clock::time_point()),
          bp::RunOptions().deadline(clock::time_point::min()),
          bp::RunOptions().timeout(std::chrono::hours::max()).deadline(clock::now()),
          bp::RunOptions().timeout(1.5ms).deadline(clock::time_point::max())}) {
        auto result = session.try_run(feeds, {}, past);

        CHECK(!result && result.error().code() == BP_E_TIMEOUT);
    }

    std::thread stopper([&] {
        std::this_thread::sleep_for(30ms);
        cancel.cancel();
    });
    THROWS(BP_E_CANCELLED, "", session.run(feeds, {}, bp::RunOptions().cancel(cancel)));
    stopper.join();
    CHECK(cancel.is_cancelled());
    auto again = session.try_run(feeds, {}, bp::RunOptions().cancel(cancel).timeout(1h));
    CHECK(!again && again.error().code() == BP_E_CANCELLED);

#ifdef __cpp_lib_jthread
    std::stop_source source;
    std::jthread other([&source] {
        std::this_thread::sleep_for(30ms);
        source.request_stop();
    });
    THROWS(BP_E_CANCELLED, "", session.run(source.get_token(), feeds));
    CHECK(!session.try_run(source.get_token(), feeds)); /* stopped before */
    CHECK(session.try_run(std::stop_token(), feeds, {}, bp::RunOptions().timeout(1ms))
              .error()
              .code() == BP_E_TIMEOUT);
#endif
}

void threads_share_a_session()
{
    bp::Env env = make_env();
    bp::Session session(bp::Model::from_bytes(env, doubling()));
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};

    for (int t = 0; t < 4; t++)
        threads.emplace_back([&wrong, t, own = session.share()]() mutable {
            std::vector<float> x(3, static_cast<float>(t));
            std::vector<float> y(3);
            bp::OutputView out(y);

            for (int i = 0; i < 200; i++) {
                own.run_into({{0, bp::TensorView(x, {1, 3})}}, {{0, out}});
                wrong += y[2] != 2 * x[2];
            }
        });
    session = bp::Session(bp::Model::from_bytes(env, doubling())); /* a reload */
    for (std::thread &thread : threads)
        thread.join();
    CHECK(wrong == 0);
}

/* ---- functions of the application ---------------------------------------------------------------- */

void functions_may_throw()
{
    std::atomic<int> lines{0};
    bp::EnvConfig config;

    config.raw.log_level = BP_LOG_DEBUG;
    config.log = [&lines](std::uint32_t, std::string_view, std::string_view text) {
        lines += !text.empty();
        throw std::runtime_error("log");
    };
    bp::Env env(config);
    bp::SessionOptions options;
    int phases = 0;

    options.set_dimension("unknown", 3); /* a warning */
    options.set_progress([&phases](std::string_view, double) {
        phases++;
        throw 7;
    });
    bp::Session session(bp::Model::from_bytes(env, doubling()), options);
    CHECK(phases > 0);
    CHECK(lines > 0);

    std::atomic<int> own{0};
    options.set_log(
        [&own](std::uint32_t, std::string_view, std::string_view) {
            own++;
            throw "log";
        },
        BP_LOG_DEBUG);
    session = bp::Session(bp::Model::from_bytes(env, doubling()), options);
    CHECK(own > 0);
    options.set_log(nullptr).set_progress(nullptr);
    session.set_providers(options);
    CHECK(session.inputs().size() == 1);
}

void allocators_live_until_all_memory_is_back()
{
    struct Count {
        std::atomic<int> blocks{0};
        std::atomic<int> fails{0};
    };
    auto count = std::make_shared<Count>();
    std::weak_ptr<Count> watch = count;
    std::vector<bp::Value> kept;
    std::vector<float> x(3, 1);

    {
        bp::Env env = make_env();
        bp::SessionOptions options;

        options.set_allocator(
            [count](std::size_t bytes) -> void * {
                if (count->fails == 1)
                    throw std::runtime_error("no more today");
                if (count->fails == 2)
                    throw std::bad_alloc();
                if (count->fails == 3)
                    return nullptr;
                count->blocks++;
                return std::malloc(bytes);
            },
            [count](void *block) {
                count->blocks--;
                std::free(block);
                throw std::logic_error("lost");
            });
        bp::Session session(bp::Model::from_bytes(env, doubling()), options);

        options = bp::SessionOptions();
        kept = session.run({{0, bp::TensorView(x, {1, 3})}});
        CHECK(count->blocks > 0);
        count->fails = 1;
        THROWS(BP_E_INTERNAL, "no more today", session.run({{0, bp::TensorView(x, {1, 3})}}));
        count->fails = 2;
        THROWS(BP_E_NOMEM, "", session.run({{0, bp::TensorView(x, {1, 3})}}));
        count->fails = 3;
        THROWS(BP_E_NOMEM, "", session.run({{0, bp::TensorView(x, {1, 3})}}));
        THROWS(BP_E_INVALID, "without one", options.set_allocator(nullptr, [](void *) {}));
    }
    CHECK(count->blocks > 0); /* the output */
    count.reset();
    CHECK(!watch.expired() && kept[0].tensor().data<float>()[0] == 2);
    kept.clear();
    CHECK(watch.expired());
}

void options_are_checked()
{
    bp::Env env = make_env();
    bp::SessionOptions options;
    std::vector<bp::SessionOptions> many;

    options.set_threads(1).set_max_shapes(4).set_memory_limit(0).set_strict(false);
    options.set_strict_shapes().set_dimension("n", 2).set_optimization(BP_OPTIMIZE_BASIC);
    options.add_provider("cpu", {{"threads", "1"}}).set_cache("").set_fallback(BP_FALLBACK_SILENT);
    options.add_placement("op:Add=cpu");
    THROWS(BP_E_INVALID, "", options.add_placement("no rule"));
    THROWS(BP_E_INVALID, "", options.set_fallback(99));
    THROWS(BP_E_INVALID, "", options.set_optimization(99));
    THROWS(BP_E_INVALID, "", options.set_dimension("n", -2));
    THROWS(BP_E_INVALID, "", options.add_provider("cpu"));
    many.push_back(std::move(options));
    many.emplace_back();
    THROWS(BP_E_INVALID, "moved from", options.set_threads(1));
    THROWS(BP_E_INVALID, "moved from",
           bp::Session(bp::Model::from_bytes(env, doubling()), options));

    bp::SessionOptions bad;
    bad.add_provider("nosuchprovider");
    THROWS(BP_E_INVALID, "nosuchprovider",
           bp::Session(bp::Model::from_bytes(env, doubling()), bad));
    CHECK(env.is_available("cpu"));
    CHECK(!env.is_available("nosuchprovider"));
    CHECK(env.provider_count() >= 1 && env.provider(env.provider_count() - 1).name != nullptr);
    THROWS(BP_E_INVALID, "", (void)env.provider(1000000));
    THROWS(BP_E_INVALID, "", bp::Env([] {
               bp::EnvConfig config;
               config.provider_dirs = {"relative"};
               return config;
           }()));
}

void profiles_measure()
{
    using clock = std::chrono::steady_clock;
    bp::Env env = make_env();
    bp::Session session(bp::Model::from_bytes(env, doubling()));
    bp::Profile profile(100);
    std::vector<float> x(3);
    clock::time_point start = clock::now();

    session.run({{0, bp::TensorView(x, {1, 3})}}, {}, bp::RunOptions().profile(profile));
    CHECK(profile.count() >= 2 && profile.dropped() == 0);
    bp_profile_event run = profile.event(profile.count() - 1);
    CHECK(run.kind == BP_PROFILE_RUN);
    /* the library's clock is steady_clock: deadlines depend on it */
    CHECK(run.start_ns >= start.time_since_epoch() / 1ns &&
          run.end_ns <= clock::now().time_since_epoch() / 1ns);
    profile.add("own", start, clock::now());
    CHECK(profile.json().find("\"own\"") != std::string::npos);
    bp::Profile moved(std::move(profile));
    THROWS(BP_E_INVALID, "empty Profile", (void)profile.count());
    THROWS(BP_E_INVALID, "empty Profile", bp::RunOptions().profile(profile));
    CHECK(moved.count() >= 3);
    THROWS(BP_E_INVALID, "", bp::Profile(0xffffffff));
}

void sessions_are_created_prepared()
{
    bp::Env env = make_env();
    bp::SessionOptions options;
    bp::RunOptions limits;

    options.add_shapes({{"x", {4, 3}}});
    bp::Session session(bp::Model::from_bytes(env, doubling()), options);
    CHECK(session.stats().idle_frames == 1 && session.stats().runs == 0);
    CHECK(session.prepare({{"x", {9, 3}}}, 2) == 0);
    CHECK(session.stats().idle_frames == 2);
    THROWS(BP_E_SHAPE, "9x4", (void)session.prepare({{"x", {9, 4}}}));
    THROWS(BP_E_INVALID, "z", (void)session.prepare({{"z", {9, 4}}}));
    options.set_prepare(1, limits.deadline(std::chrono::steady_clock::time_point()));
    THROWS(BP_E_TIMEOUT, "preparing", bp::Session(bp::Model::from_bytes(env, doubling()), options));
    THROWS(BP_E_INVALID, "-2", options.add_shapes({{"x", {-2}}}));
}

void values_are_bound_once()
{
    bp::Env env = make_env();
    auto session = std::make_unique<bp::Session>(bp::Model::from_bytes(env, doubling()));
    bp::IoBinding io(*session);
    std::vector<float> x = {1, 2, 3}, y(3);

    session.reset(); /* it owns a part */
    io.set_input("x", bp::TensorView(x, {1, 3})).set_output("y");
    THROWS(BP_E_INVALID, "no run", (void)io.output("y"));
    io.run();
    CHECK(io.output(0).data<float>()[2] == 6);
    x[2] = 10;
    io.run_async().get();
    CHECK(io.output("y").data<float>()[2] == 20);
    io.set_output("y", y.data(), y.size());
    io.run();
    CHECK(y[2] == 20);
    THROWS(BP_E_SPACE, "", {
        io.set_output("y", y.data(), 1);
        io.run();
    });
    THROWS(BP_E_INVALID, "z", io.set_output("z"));
    io.clear_outputs();
    THROWS(BP_E_INVALID, "no output is bound", (void)io.run_async());
    bp::IoBinding moved = std::move(io);
    moved.set_output("y").clear_inputs();
    THROWS(BP_E_INVALID, "not fed", moved.run());
    THROWS(BP_E_INVALID, "moved from", io.run()); /* NOLINT: that is what is tested */
}

void runs_keep_states()
{
    bp::Env env = make_env();
    bp::SessionOptions options;
    std::vector<float> x = {1, 2, 3};

    options.add_state("x", "y");
    THROWS(BP_E_INVALID, "'*'", options.add_state("x*", "y"));
    bp::Session session(bp::Model::from_bytes(env, doubling()), options);
    THROWS(BP_E_INVALID, "bp_run_options.state", (void)session.run({}));
    bp::State state(session);
    bp::RunOptions run;

    run.state(state);
    state.set("x", bp::TensorView(x, {1, 3}));
    for (int i = 0; i < 3; i++)
        CHECK(session.run({}, {}, run).empty());
    bp::State other = state.copy();
    CHECK(state.get("x").data<float>()[2] == 24);
    state.reset();
    CHECK(state.get("x").data<float>()[2] == 0 && other.get("x").data<float>()[0] == 8);
    CHECK(state.length() == 0);
    THROWS(BP_E_INVALID, "grows", state.truncate(0));
    state.reserve(10);
    bp::State moved = std::move(state);
    THROWS(BP_E_INVALID, "moved from", state.reset()); /* NOLINT: that is what is tested */
}

void runs_go_on_in_the_background()
{
    bp::Env env = make_env();
    bp::Session session(bp::Model::from_bytes(env, doubling()));
    std::vector<float> x = {1, 2, 3};
    std::vector<std::future<std::vector<bp::Value>>> futures;
    bp::RunOptions over;

    for (int i = 0; i < 50; i++)
        futures.push_back(session.run_async({{"x", bp::TensorView(x, {1, 3})}}));
    for (auto &future : futures)
        CHECK(future.get()[0].tensor().data<float>()[2] == 6);
    auto late = session.run_async({{"x", bp::TensorView(x, {1, 3})}}, {"y"},
                                  over.timeout(std::chrono::seconds(-1)));
    THROWS(BP_E_TIMEOUT, "", (void)late.get());
    THROWS(BP_E_INVALID, "z", (void)session.run_async({{"z", bp::TensorView(x, {1, 3})}}));
}

void models_without_programs_compile_to_nothing()
{
    bp::Env env = make_env();
    bp::SessionOptions options;

    options.add_provider("cpu");
    CHECK(!bp::Model::from_bytes(env, doubling()).compile(options));
}

} // namespace

int main()
{
    errors_outlive_their_call();
    results_hold_a_value_or_an_error();
    views_check_their_memory();
    tensors_own_their_memory();
    objects_are_counted();
    sessions_run();
    runs_refuse_what_is_wrong();
    runs_write_to_memory_of_the_caller();
    strings_and_sequences_pass();
    owners_may_end_in_any_order();
    models_are_described();
    runs_stop_in_time();
    threads_share_a_session();
    functions_may_throw();
    allocators_live_until_all_memory_is_back();
    options_are_checked();
    profiles_measure();
    sessions_are_created_prepared();
    runs_keep_states();
    values_are_bound_once();
    runs_go_on_in_the_background();
    models_without_programs_compile_to_nothing();
    return failures > 0;
}
