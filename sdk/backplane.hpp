/* SPDX-License-Identifier: MIT */
/*
 * backplane.hpp - backplane.h for C++17 and later: owners, exceptions, std::chrono, std::function.
 *
 *     backplane::Env env;
 *     backplane::Session session(env, "model.onnx");
 *     std::vector<float> x(6);
 *     auto y = session.run({{"x", backplane::TensorView(x, {2, 3})}});
 *     for (float value : y[0].tensor().data<float>())
 *         std::cout << value << '\n';
 *
 * Header only: link libbackplane, nothing else. What has no function here has one in backplane.h:
 * handle() of every class is the C object, borrowed.
 *
 * Errors: functions throw backplane::Error; those named try_... return a Result with the Error in it
 * instead, and throw nothing but std::bad_alloc. Both say in Error::code() what backplane.h says of
 * the C function. Using an object that was moved from, or that is empty, is BP_E_INVALID.
 * Ownership: every class owns what it stands for, unless its name ends in View, and can be moved,
 * without exceptions. Sessions, models and reports keep their environment, functions and bytes of a
 * model alive, so that owners may be destroyed in any order.
 * Threads: as in backplane.h. One Session may be run by several threads at once.
 * Functions of the application (log, progress, allocator) may throw: that never reaches the host.
 */
#ifndef BACKPLANE_HPP
#define BACKPLANE_HPP

#if !defined(__cplusplus) || __cplusplus < 201703L
#error "backplane.hpp needs C++17: compile with -std=c++17 or later"
#endif

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <future>
#include <initializer_list>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#if __has_include(<version>)
#include <version>
#endif
#ifdef __cpp_lib_span
#include <span>
#endif
#ifdef __cpp_lib_jthread
#include <stop_token>
#endif
#ifdef __GLIBCXX__
#include <cxxabi.h>
#endif

#include <backplane.h>

namespace backplane
{

/* ---- errors ---------------------------------------------------------------------------------- */

/* What a bp_rc and a bp_err say; owns its text. Copies and moves throw nothing. */
class Error : public std::runtime_error
{
  public:
    explicit Error(bp_rc code, const std::string &message, std::uint32_t detail = BP_DETAIL_NONE,
                   std::uint32_t index = 0, std::int64_t native_code = 0)
        : std::runtime_error(message), code_(code), detail_(detail), index_(index),
          native_code_(native_code)
    {
    }

    /* BP_E_*, below 0 */
    bp_rc code() const noexcept
    {
        return code_;
    }
    /* "BP_E_SHAPE" */
    const char *code_name() const noexcept
    {
        return bp_rc_name(code_);
    }
    /* BP_DETAIL_* */
    std::uint32_t detail() const noexcept
    {
        return detail_;
    }
    /* of what the detail is about */
    std::uint32_t index() const noexcept
    {
        return index_;
    }
    /* the vendor library's own number; 0: none */
    std::int64_t native_code() const noexcept
    {
        return native_code_;
    }
    /* one sentence, as what() */
    std::string message() const
    {
        return what();
    }

  private:
    bp_rc code_;
    std::uint32_t detail_, index_;
    std::int64_t native_code_;
};

/* A value or an Error; value() of an Error throws it. */
template <typename T> class [[nodiscard]] Result
{
  public:
    Result(T value) : content_(std::in_place_index<0>, std::move(value))
    {
    }
    Result(Error error) : content_(std::in_place_index<1>, std::move(error))
    {
    }

    bool has_value() const noexcept
    {
        return content_.index() == 0;
    }
    explicit operator bool() const noexcept
    {
        return has_value();
    }
    T &value() &
    {
        if (!has_value())
            throw error();
        return *std::get_if<0>(&content_);
    }
    const T &value() const &
    {
        if (!has_value())
            throw error();
        return *std::get_if<0>(&content_);
    }
    T value() &&
    {
        if (!has_value())
            throw error();
        return std::move(*std::get_if<0>(&content_));
    }
    /* The Error; calling it where there is a value throws std::bad_variant_access. */
    const Error &error() const
    {
        return std::get<1>(content_);
    }

  private:
    std::variant<T, Error> content_;
};

template <> class [[nodiscard]] Result<void>
{
  public:
    Result() noexcept = default;
    Result(Error error) : error_(std::move(error))
    {
    }

    bool has_value() const noexcept
    {
        return !error_;
    }
    explicit operator bool() const noexcept
    {
        return has_value();
    }
    void value() const
    {
        if (error_)
            throw *error_;
    }
    /* The Error; calling it where there is none throws std::bad_optional_access. */
    const Error &error() const
    {
        return error_.value();
    }

  private:
    std::optional<Error> error_;
};

namespace detail
{

/* A bp_err with its text, for one call after the other. */
class Call
{
  public:
    Call() noexcept : err_(bp_err_init(text_, sizeof text_))
    {
    }
    Call(const Call &) = delete;
    Call &operator=(const Call &) = delete;

    bp_err *err() noexcept
    {
        return &err_;
    }
    Error error(bp_rc rc) const
    {
        const char *text = text_[0] != '\0' ? text_ : bp_rc_name(rc);

        return Error(rc, text, err_.detail, err_.index, err_.native_code);
    }
    void check(bp_rc rc) const
    {
        if (rc < 0)
            throw error(rc);
    }

  private:
    char text_[1024] = {0};
    bp_err err_;
};

/* What a callback is told. */
inline Error error_of(bp_rc rc, const bp_err *err)
{
    return Error(rc, err->msg && err->msg[0] != '\0' ? err->msg : bp_rc_name(rc), err->detail,
                 err->index, err->native_code);
}

[[noreturn]] inline void refuse(const std::string &message)
{
    throw Error(BP_E_INVALID, message);
}

/* What a bp_err of the host's gets from a function of the application; cut to its buffer. */
inline bp_rc tell(bp_err *err, bp_rc rc, const char *text) noexcept
{
    std::size_t n;

    if (!err)
        return rc;
    err->code = rc;
    err->msg_len = 0;
    if (!err->msg || err->msg_cap == 0)
        return rc;
    n = std::min(std::strlen(text), static_cast<std::size_t>(err->msg_cap) - 1);
    std::memcpy(err->msg, text, n);
    err->msg[n] = '\0';
    err->msg_len = static_cast<std::uint32_t>(n);
    return rc;
}

/*
 * Calls a function of the application; what it throws becomes a status. The end of its thread
 * (pthread_exit, pthread_cancel) goes on.
 */
template <typename Fn> bp_rc contain(bp_err *err, Fn &&fn)
{
    try {
        fn();
        return BP_OK;
#ifdef __GLIBCXX__
    } catch (const abi::__forced_unwind &) {
        throw;
#endif
    } catch (const std::bad_alloc &) {
        return tell(err, BP_E_NOMEM, "no memory in a function of the application");
    } catch (const Error &error) {
        return tell(err, error.code() < 0 ? error.code() : BP_E_INTERNAL, error.what());
    } catch (const std::exception &error) {
        return tell(err, BP_E_INTERNAL, error.what());
    } catch (...) {
        return tell(err, BP_E_INTERNAL, "a function of the application threw");
    }
}

/* Text that the library allocated. */
inline std::string take_text(char *text)
{
    std::unique_ptr<char, void (*)(void *)> owner(text, bp_free);

    return text ? std::string(text) : std::string();
}

/* nullptr for an empty string, where backplane.h means "none" by NULL. */
inline const char *text_or_null(const std::string &text) noexcept
{
    return text.empty() ? nullptr : text.c_str();
}

/* A struct of backplane.h that the callee fills. */
template <typename T> T sized() noexcept
{
    T out = {};

    out.struct_size = static_cast<std::uint32_t>(sizeof out);
    return out;
}

/* Nanoseconds, at the nearest end where they do not fit. */
template <typename Rep, typename Period>
std::int64_t nanoseconds_of(std::chrono::duration<Rep, Period> time) noexcept
{
    const long double seconds = std::chrono::duration<long double>(time).count();

    if (!(seconds < 9.2e9L)) /* not a number too: as if there were no end */
        return std::numeric_limits<std::int64_t>::max();
    if (seconds < -9.2e9L)
        return std::numeric_limits<std::int64_t>::min();
    return std::chrono::duration_cast<std::chrono::duration<std::int64_t, std::nano>>(time).count();
}

inline std::uint32_t size32(std::size_t n)
{
    if (n > std::numeric_limits<std::uint32_t>::max())
        refuse("more than 4294967295 entries");
    return static_cast<std::uint32_t>(n);
}

} // namespace detail

/* ---- spans ----------------------------------------------------------------------------------- */

namespace detail
{

/* A temporary is read only: its elements are changed only if it is a span itself. */
template <typename C>
using Access =
    std::conditional_t<std::is_lvalue_reference_v<C>, C, const std::remove_reference_t<C> &>;

} // namespace detail

/*
 * Elements of the caller's, as std::span of C++20, from which and to which it converts; also from
 * arrays, std::vector, std::array, std::string and, for one call, from a list in braces.
 */
template <typename T> class Span
{
  public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;

    constexpr Span() noexcept = default;
    constexpr Span(T *data, std::size_t size) noexcept : data_(data), size_(size)
    {
    }
    template <std::size_t N> constexpr Span(T (&array)[N]) noexcept : data_(array), size_(N)
    {
    }
    /* Elements of the list live as long as the full expression. */
    template <typename U = T, typename = std::enable_if_t<std::is_const_v<U>>>
    constexpr Span(std::initializer_list<value_type> list) noexcept
    {
        data_ = list.begin(); /* not as an initializer, of which GCC warns */
        size_ = list.size();
    }
    template <
        typename C, typename Access = detail::Access<C>,
        typename = std::enable_if_t<
            !std::is_same_v<std::decay_t<C>, Span> &&
            std::is_convertible_v<
                std::remove_pointer_t<decltype(std::declval<Access>().data())> (*)[], T (*)[]> &&
            std::is_convertible_v<decltype(std::declval<Access>().size()), std::size_t>>>
    constexpr Span(C &&container) noexcept : data_(container.data()), size_(container.size())
    {
    }

    constexpr T *data() const noexcept
    {
        return data_;
    }
    constexpr std::size_t size() const noexcept
    {
        return size_;
    }
    constexpr bool empty() const noexcept
    {
        return size_ == 0;
    }
    constexpr T &operator[](std::size_t i) const noexcept
    {
        return data_[i];
    }
    constexpr T *begin() const noexcept
    {
        return data_;
    }
    constexpr T *end() const noexcept
    {
        return data_ + size_;
    }

  private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

/* ---- element types --------------------------------------------------------------------------- */

struct Float16 {
    std::uint16_t bits;
};
struct BFloat16 {
    std::uint16_t bits;
};

namespace detail
{

template <typename T> constexpr std::uint32_t integer_dtype() noexcept
{
    constexpr bool is_signed = std::is_signed_v<T>;

    switch (sizeof(T)) {
    case 1:
        return is_signed ? BP_DTYPE_I8 : BP_DTYPE_U8;
    case 2:
        return is_signed ? BP_DTYPE_I16 : BP_DTYPE_U16;
    case 4:
        return is_signed ? BP_DTYPE_I32 : BP_DTYPE_U32;
    default:
        return is_signed ? BP_DTYPE_I64 : BP_DTYPE_U64;
    }
}

template <typename T> constexpr std::uint32_t find_dtype() noexcept
{
    using namespace std;

    if constexpr (is_same_v<T, float>)
        return BP_DTYPE_F32;
    else if constexpr (is_same_v<T, double>)
        return BP_DTYPE_F64;
    else if constexpr (is_same_v<T, bool>)
        return BP_DTYPE_BOOL;
    else if constexpr (is_same_v<T, Float16>)
        return BP_DTYPE_F16;
    else if constexpr (is_same_v<T, BFloat16>)
        return BP_DTYPE_BF16;
    else if constexpr (is_same_v<T, complex<float>>)
        return BP_DTYPE_C64;
    else if constexpr (is_same_v<T, complex<double>>)
        return BP_DTYPE_C128;
    else if constexpr (is_same_v<T, bp_span>)
        return BP_DTYPE_STRING;
    else if constexpr (is_integral_v<T> && sizeof(T) <= 8 && !is_same_v<T, char> &&
                       !is_same_v<T, wchar_t> && !is_same_v<T, char16_t> && !is_same_v<T, char32_t>)
        return integer_dtype<T>();
    else
        return BP_DTYPE_NONE;
}

} // namespace detail

/* BP_DTYPE_* of a type of C++; BP_DTYPE_NONE: tensors have no such elements. */
template <typename T> inline constexpr std::uint32_t dtype_of = detail::find_dtype<T>();

inline std::string dtype_name(std::uint32_t dtype)
{
    return bp_dtype_name(dtype);
}

/* ---- tensors --------------------------------------------------------------------------------- */

namespace detail
{

/* Elements that sizes mean; throws where one is negative or they are too many. */
inline std::size_t count_of(Span<const std::int64_t> dims)
{
    std::size_t n = 1;

    for (std::int64_t dim : dims) {
        if (dim < 0)
            refuse("a tensor with the negative size " + std::to_string(dim));
        if (dim > 0 && n > std::numeric_limits<std::size_t>::max() / static_cast<std::size_t>(dim))
            refuse("a tensor with more elements than memory has addresses");
        n *= static_cast<std::size_t>(dim);
    }
    return n;
}

/* Bytes of a dense tensor; of strings those of their spans. */
inline std::size_t bytes_of(std::uint32_t dtype, Span<const std::int64_t> dims)
{
    std::size_t n = count_of(dims);
    std::size_t bytes = 0;
    Call call;

    if (dtype == BP_DTYPE_STRING) {
        if (n > std::numeric_limits<std::size_t>::max() / sizeof(bp_span))
            refuse("a tensor with more elements than memory has addresses");
        return n * sizeof(bp_span);
    }
    call.check(bp_tensor_bytes(dtype, dims.data(), size32(dims.size()), &bytes, call.err()));
    return bytes;
}

/* Sizes; those of up to eight dimensions lie in the object itself. */
class Dims
{
  public:
    Dims() noexcept = default;
    explicit Dims(Span<const std::int64_t> dims) : rank_(dims.size())
    {
        if (dims.size() > few_.size())
            many_.assign(dims.begin(), dims.end());
        else
            std::copy(dims.begin(), dims.end(), few_.begin());
    }
    std::size_t capacity() const noexcept
    {
        return many_.empty() ? few_.size() : many_.size();
    }
    std::int64_t *data() noexcept
    {
        return many_.empty() ? few_.data() : many_.data();
    }
    const std::int64_t *data() const noexcept
    {
        return many_.empty() ? few_.data() : many_.data();
    }
    Span<const std::int64_t> span() const noexcept
    {
        return {data(), std::min(rank_, capacity())};
    }
    void set_rank(std::size_t rank) noexcept
    {
        rank_ = rank;
    }

  private:
    std::array<std::int64_t, 8> few_ = {};
    std::vector<std::int64_t> many_;
    std::size_t rank_ = 0;
};

/* Elements of a tensor as T; throws unless they are that. */
template <typename T>
Span<T> elements(void *base, std::uint32_t dtype, Span<const std::int64_t> dims)
{
    constexpr std::uint32_t expected = dtype_of<std::remove_cv_t<T>>;

    static_assert(expected != BP_DTYPE_NONE, "no element type of a tensor");
    if (dtype != expected)
        refuse("a tensor of " + dtype_name(dtype) + " read as " + dtype_name(expected));
    return {static_cast<T *>(base), count_of(dims)};
}

/* The strings of a tensor of them. */
inline std::vector<std::string_view> strings_of(void *base, std::uint32_t dtype,
                                                Span<const std::int64_t> dims)
{
    std::vector<std::string_view> out;

    for (const bp_span &span : elements<const bp_span>(base, dtype, dims))
        out.emplace_back(span.size > 0 ? static_cast<const char *>(span.data) : "", span.size);
    return out;
}

template <typename C>
using element_of =
    std::remove_cv_t<std::remove_pointer_t<decltype(std::declval<const C &>().data())>>;

} // namespace detail

/*
 * A tensor in memory of someone else, which must outlive it; only read. Has its sizes itself. Copies
 * share the memory.
 */
class TensorView
{
  public:
    TensorView() noexcept = default;
    /*
     * The first elements of a vector, array, std::span, ... with these sizes. BP_E_INVALID: there
     * are too few, or a size is negative.
     */
    template <typename C, typename = std::enable_if_t<dtype_of<detail::element_of<C>> != 0>>
    TensorView(const C &elements, Span<const std::int64_t> dims)
        : TensorView(dtype_of<detail::element_of<C>>, elements.data(),
                     elements.size() * sizeof(detail::element_of<C>), dims)
    {
    }
    template <typename T, std::size_t N, typename = std::enable_if_t<dtype_of<T> != 0>>
    TensorView(const T (&elements)[N], Span<const std::int64_t> dims)
        : TensorView(dtype_of<T>, elements, sizeof elements, dims)
    {
    }
    /* Memory of any element type (BP_DTYPE_*). */
    TensorView(std::uint32_t dtype, const void *base, std::size_t bytes,
               Span<const std::int64_t> dims)
        : base_(const_cast<void *>(base)), bytes_(bytes), dtype_(dtype), dims_(dims)
    {
        std::size_t needed = detail::bytes_of(dtype, dims);

        if (bytes < needed || (!base && needed > 0))
            detail::refuse("a tensor of " + std::to_string(needed) + " bytes in memory of " +
                           std::to_string(base ? bytes : 0));
    }
    /* What a bp_tensor of host memory means; its dims are copied. */
    explicit TensorView(const bp_tensor &tensor)
        : base_(tensor.base ? static_cast<char *>(tensor.base) + tensor.offset : nullptr),
          bytes_(tensor.bytes), dtype_(tensor.dtype),
          dims_(Span<const std::int64_t>(tensor.dims, tensor.rank))
    {
        if (tensor.space != BP_SPACE_HOST)
            detail::refuse("a tensor in the memory of a device");
    }

    std::uint32_t dtype() const noexcept
    {
        return dtype_;
    }
    Span<const std::int64_t> dims() const noexcept
    {
        return dims_.span();
    }
    std::size_t count() const
    {
        return detail::count_of(dims());
    }
    /* Of the memory: at least what dims need. */
    std::size_t bytes() const noexcept
    {
        return bytes_;
    }
    const void *base() const noexcept
    {
        return base_;
    }
    /* BP_E_INVALID: the elements are no T. */
    template <typename T> Span<const T> data() const
    {
        return detail::elements<const T>(base_, dtype_, dims());
    }
    /* Of a tensor of strings; they live as long as its memory. BP_E_INVALID: it has others. */
    std::vector<std::string_view> strings() const
    {
        return detail::strings_of(base_, dtype_, dims());
    }
    /* For functions of backplane.h that only read; borrows from this object. */
    bp_tensor raw() const noexcept
    {
        bp_tensor tensor = {};

        tensor.base = base_;
        tensor.bytes = bytes_;
        tensor.dims = const_cast<std::int64_t *>(dims_.data());
        tensor.rank = static_cast<std::uint32_t>(dims().size());
        tensor.dtype = dtype_;
        return tensor;
    }

  private:
    void *base_ = nullptr;
    std::size_t bytes_ = 0;
    std::uint32_t dtype_ = BP_DTYPE_NONE;
    detail::Dims dims_;
};

/*
 * Memory of the caller for an output of a run, which must outlive it. Its sizes are those of the
 * last result there.
 */
class OutputView
{
  public:
    /* All of a vector, array, std::span, ...; at first without sizes. */
    template <typename C,
              typename = std::enable_if_t<
                  dtype_of<detail::element_of<C>> != 0 &&
                  !std::is_const_v<std::remove_pointer_t<decltype(std::declval<C &>().data())>>>>
    explicit OutputView(C &elements)
        : OutputView(dtype_of<detail::element_of<C>>, elements.data(),
                     elements.size() * sizeof(detail::element_of<C>))
    {
    }
    template <typename T, std::size_t N,
              typename = std::enable_if_t<dtype_of<T> != 0 && !std::is_const_v<T>>>
    explicit OutputView(T (&elements)[N]) : OutputView(dtype_of<T>, elements, sizeof elements)
    {
    }
    /* Memory for elements of any type (BP_DTYPE_*). BP_E_INVALID: there is none. */
    OutputView(std::uint32_t dtype, void *base, std::size_t bytes)
        : base_(base), bytes_(bytes), dtype_(dtype)
    {
        if (!base)
            detail::refuse("an output without memory; run() allocates it where it has no view");
    }

    std::uint32_t dtype() const noexcept
    {
        return dtype_;
    }
    Span<const std::int64_t> dims() const noexcept
    {
        return dims_.span();
    }
    /* BP_E_INVALID: no result is there, or its elements are no T. */
    template <typename T> Span<T> data() const
    {
        return detail::elements<T>(base_, is_filled_ ? dtype_ : std::uint32_t{BP_DTYPE_NONE},
                                   dims());
    }
    std::vector<std::string_view> strings() const
    {
        return detail::strings_of(base_, is_filled_ ? dtype_ : std::uint32_t{BP_DTYPE_NONE},
                                  dims());
    }

  private:
    friend class Session;
    friend class IoBinding;

    /* A bp_tensor that a run fills; it borrows from this object. */
    bp_tensor raw() noexcept
    {
        bp_tensor tensor = {};

        is_filled_ = false;
        tensor.base = base_;
        tensor.bytes = bytes_;
        tensor.dims = dims_.data();
        tensor.rank = static_cast<std::uint32_t>(dims_.capacity());
        tensor.dtype = dtype_;
        return tensor;
    }
    void fill(const bp_tensor &tensor) noexcept
    {
        dims_.set_rank(tensor.rank);
        is_filled_ = true;
    }

    void *base_;
    std::size_t bytes_;
    std::uint32_t dtype_;
    bool is_filled_ = false;
    detail::Dims dims_;
};

/* A tensor with its own memory. */
class Tensor
{
  public:
    Tensor() noexcept = default; /* empty: no type, no memory */
    /* Zeroed elements of a type BP_DTYPE_*. Errors are those of bp_tensor_alloc(). */
    Tensor(std::uint32_t dtype, Span<const std::int64_t> dims)
    {
        detail::Call call;

        call.check(
            bp_tensor_alloc(dtype, dims.data(), detail::size32(dims.size()), &tensor_, call.err()));
    }
    /* Takes over what bp_tensor_alloc(), bp_tensor_decode() or a run allocated. */
    static Tensor adopt(const bp_tensor &tensor) noexcept
    {
        Tensor out;

        out.tensor_ = tensor;
        return out;
    }
    /* Zeroed elements. */
    template <typename T> static Tensor of(Span<const std::int64_t> dims)
    {
        static_assert(dtype_of<T> != BP_DTYPE_NONE, "no element type of a tensor");
        return Tensor(dtype_of<T>, dims);
    }
    /* A copy of the elements, which must be as many as the sizes mean. */
    template <typename T> static Tensor of(Span<const std::int64_t> dims, Span<const T> elements)
    {
        Tensor out = of<T>(dims);

        if (elements.size() != detail::count_of(dims))
            detail::refuse(std::to_string(elements.size()) + " elements for a tensor of " +
                           std::to_string(detail::count_of(dims)));
        std::copy(elements.begin(), elements.end(), out.data<T>().begin());
        return out;
    }
    /* A tensor of strings, with a copy of each. */
    static Tensor strings(Span<const std::int64_t> dims, Span<const std::string> elements)
    {
        Tensor out(BP_DTYPE_STRING, dims);
        Span<bp_span> spans = out.data<bp_span>();
        std::size_t bytes = 0;
        char *text;

        if (elements.size() != spans.size())
            detail::refuse(std::to_string(elements.size()) + " strings for a tensor of " +
                           std::to_string(spans.size()));
        for (const std::string &element : elements)
            bytes += element.size();
        out.text_.reset(new char[bytes + 1]);
        text = out.text_.get();
        for (std::size_t i = 0; i < spans.size(); i++) {
            spans[i].data = text;
            spans[i].size = elements[i].size();
            text = std::copy(elements[i].begin(), elements[i].end(), text);
        }
        return out;
    }
    /* Reads an ONNX TensorProto; *name (may be null) is its name. */
    static Tensor decode(const void *bytes, std::size_t size, std::string *name = nullptr)
    {
        detail::Call call;
        Tensor out;
        char *text = nullptr;

        call.check(bp_tensor_decode(bytes, size, &out.tensor_, name ? &text : nullptr, call.err()));
        if (name)
            *name = detail::take_text(text);
        return out;
    }

    Tensor(Tensor &&other) noexcept : tensor_(other.tensor_), text_(std::move(other.text_))
    {
        other.tensor_ = {};
    }
    Tensor &operator=(Tensor &&other) noexcept
    {
        Tensor taken(std::move(other));

        std::swap(tensor_, taken.tensor_);
        std::swap(text_, taken.text_);
        return *this;
    }
    Tensor(const Tensor &) = delete;
    Tensor &operator=(const Tensor &) = delete;
    ~Tensor()
    {
        bp_tensor_free(&tensor_);
    }

    std::uint32_t dtype() const noexcept
    {
        return tensor_.dtype;
    }
    Span<const std::int64_t> dims() const noexcept
    {
        return {tensor_.dims, tensor_.rank};
    }
    std::size_t count() const
    {
        return tensor_.dtype == BP_DTYPE_NONE ? 0 : detail::count_of(dims());
    }
    /* BP_E_INVALID: the elements are no T, or the tensor is empty. */
    template <typename T> Span<T> data()
    {
        return detail::elements<T>(tensor_.base, tensor_.dtype, dims());
    }
    template <typename T> Span<const T> data() const
    {
        return detail::elements<const T>(tensor_.base, tensor_.dtype, dims());
    }
    /* Of a tensor of strings; they live as long as it. BP_E_INVALID: it has others. */
    std::vector<std::string_view> strings() const
    {
        return detail::strings_of(tensor_.base, tensor_.dtype, dims());
    }
    /* Of its memory. BP_E_INVALID: it is empty. */
    TensorView view() const
    {
        if (tensor_.dtype == BP_DTYPE_NONE)
            detail::refuse("an empty tensor: it was moved from, or never filled");
        return TensorView(tensor_);
    }
    operator TensorView() const
    {
        return view();
    }
    /* An ONNX TensorProto of that name. */
    std::string encode(const std::string &name = std::string()) const
    {
        TensorView read = view();
        bp_tensor tensor = read.raw();
        detail::Call call;
        void *bytes = nullptr;
        std::size_t size = 0;

        call.check(bp_tensor_encode(&tensor, name.c_str(), &bytes, &size, call.err()));
        std::unique_ptr<void, void (*)(void *)> owner(bytes, bp_free);
        return std::string(static_cast<const char *>(bytes), size);
    }
    const bp_tensor &handle() const noexcept
    {
        return tensor_;
    }

  private:
    bp_tensor tensor_ = {};
    std::unique_ptr<char[]> text_; /* of strings(); else none */
};

/* ---- values of any kind ---------------------------------------------------------------------- */

/*
 * A reference to a value of any kind, which never changes; a copy is one more reference. [any
 * thread]
 */
class Object
{
  public:
    Object() noexcept = default; /* empty */
    /* A copy of the tensor. */
    explicit Object(const TensorView &tensor)
    {
        bp_tensor raw = tensor.raw();
        detail::Call call;

        call.check(bp_object_from_tensor(&raw, &object_, call.err()));
    }
    /* Takes over a reference. */
    static Object adopt(bp_object *object) noexcept
    {
        Object out;

        out.object_ = object;
        return out;
    }
    static Object sequence(Span<const Object> items)
    {
        detail::Call call;
        Object out;
        std::vector<bp_object *> raw = handles(items);

        call.check(
            bp_object_sequence(raw.data(), detail::size32(raw.size()), &out.object_, call.err()));
        return out;
    }
    /* An optional; of an empty object one without a value. */
    static Object optional(const Object &item)
    {
        detail::Call call;
        Object out;

        call.check(bp_object_optional(item.object_, &out.object_, call.err()));
        return out;
    }
    static Object map(const Object &keys, const Object &values)
    {
        detail::Call call;
        Object out;

        call.check(bp_object_map(keys.handle(), values.handle(), &out.object_, call.err()));
        return out;
    }
    /* BP_SPARSE_*, the type and sizes of the whole, values and indices: see bp_object_sparse(). */
    static Object sparse(std::uint32_t format, std::uint32_t dtype, Span<const std::int64_t> dims,
                         Span<const Object> parts)
    {
        detail::Call call;
        detail::Dims sizes(dims);
        bp_tensor dense = {};
        Object out;
        std::vector<bp_object *> raw = handles(parts);

        dense.dtype = dtype;
        dense.dims = sizes.data();
        dense.rank = detail::size32(dims.size());
        call.check(bp_object_sparse(format, &dense, raw.data(), detail::size32(raw.size()),
                                    &out.object_, call.err()));
        return out;
    }
    /* Reads an ONNX TensorProto, SequenceProto, OptionalProto or MapProto: `kind` says which. */
    static Object decode(const void *bytes, std::size_t size, std::uint32_t kind)
    {
        detail::Call call;
        Object out;

        call.check(bp_object_decode(bytes, size, kind, &out.object_, call.err()));
        return out;
    }

    Object(const Object &other) noexcept : object_(bp_object_retain(other.object_))
    {
    }
    Object(Object &&other) noexcept : object_(std::exchange(other.object_, nullptr))
    {
    }
    Object &operator=(Object other) noexcept
    {
        std::swap(object_, other.object_);
        return *this;
    }
    ~Object()
    {
        bp_object_release(object_);
    }

    explicit operator bool() const noexcept
    {
        return object_ != nullptr;
    }
    /* BP_KIND_* */
    std::uint32_t kind() const
    {
        return bp_object_kind(handle());
    }
    /* Items, as bp_object_count() counts them. */
    std::size_t size() const
    {
        return bp_object_count(handle());
    }
    /* BP_E_INVALID: there is none. */
    Object operator[](std::size_t i) const
    {
        bp_object *item =
            i < size() ? bp_object_item(handle(), static_cast<std::uint32_t>(i)) : nullptr;

        if (!item)
            detail::refuse("item " + std::to_string(i) + " of a value with " +
                           std::to_string(size()));
        return adopt(bp_object_retain(item));
    }
    /* Lives as long as the value. BP_E_INVALID: it is no tensor. */
    TensorView tensor() const
    {
        const bp_tensor *tensor = bp_object_tensor(handle());

        if (!tensor)
            detail::refuse("a value that is no tensor, read as one");
        return TensorView(*tensor);
    }
    /* BP_E_INVALID: it is empty. */
    bp_object *handle() const
    {
        if (!object_)
            detail::refuse("an empty Object: it was moved from, or never filled");
        return object_;
    }

  private:
    static std::vector<bp_object *> handles(Span<const Object> objects)
    {
        std::vector<bp_object *> out;

        out.reserve(objects.size());
        for (const Object &object : objects)
            out.push_back(object.handle());
        return out;
    }

    bp_object *object_ = nullptr;
};

/* What a run returns for an output: a Tensor, or an Object of another kind. */
class Value
{
  public:
    Value(Tensor tensor) noexcept : content_(std::move(tensor))
    {
    }
    Value(Object object) noexcept : content_(std::move(object))
    {
    }

    bool is_tensor() const noexcept
    {
        return content_.index() == 0;
    }
    /* BP_E_INVALID: it is the other. With std::move, the tensor is the caller's. */
    const Tensor &tensor() const &
    {
        if (!is_tensor())
            detail::refuse("a result that is no tensor, read as one");
        return std::get<0>(content_);
    }
    Tensor &tensor() &
    {
        return const_cast<Tensor &>(std::as_const(*this).tensor());
    }
    Tensor tensor() &&
    {
        return std::move(tensor());
    }
    const Object &object() const
    {
        if (is_tensor())
            detail::refuse("a result that is a tensor, read as another kind of value");
        return std::get<1>(content_);
    }

  private:
    std::variant<Tensor, Object> content_;
};

/* ---- environment ----------------------------------------------------------------------------- */

/* Options of a provider: {{"threads", "4"}}. */
using KeyValues = std::vector<std::pair<std::string, std::string>>;

/* Receives log lines (BP_LOG_*); several threads may call it at once. */
using LogFunction =
    std::function<void(std::uint32_t level, std::string_view domain, std::string_view text)>;

namespace detail
{

inline void log_line(void *user, std::uint32_t level, const char *domain, const char *text)
{
    (void)contain(nullptr, [&] {
        (*static_cast<const LogFunction *>(user))(level, domain ? domain : "", text ? text : "");
    });
}

inline std::vector<bp_key_value> key_values(const KeyValues &options)
{
    std::vector<bp_key_value> out;

    out.reserve(options.size());
    for (const auto &[key, value] : options)
        out.push_back({key.c_str(), value.c_str()});
    return out;
}

struct EnvState {
    bp_env *env = nullptr;
    LogFunction log;

    EnvState() = default;
    EnvState(const EnvState &) = delete;
    EnvState &operator=(const EnvState &) = delete;
    ~EnvState()
    {
        (void)bp_env_destroy(env, nullptr);
    }
};

} // namespace detail

/* How an environment is made. */
struct EnvConfig {
    LogFunction log; /* empty: raw.log counts */
    std::vector<std::string> provider_dirs;
    std::string probe_helper, registry, allow_dir; /* "": as raw says */
    bp_env_config raw = {}; /* all other settings: flags, log_level, threads, probe, ... */
};

/* An environment; sessions, models and reports made from it keep it alive. */
class Env
{
  public:
    Env() : Env(EnvConfig())
    {
    }
    explicit Env(const EnvConfig &config) : state_(std::make_shared<detail::EnvState>())
    {
        bp_env_config raw = config.raw;
        std::vector<const char *> dirs;
        detail::Call call;

        raw.struct_size = static_cast<std::uint32_t>(sizeof raw);
        if (config.log) {
            state_->log = config.log;
            raw.log = detail::log_line;
            raw.log_user = &state_->log;
        }
        if (!config.provider_dirs.empty()) {
            for (const std::string &dir : config.provider_dirs)
                dirs.push_back(dir.c_str());
            raw.provider_dirs = dirs.data();
            raw.n_provider_dirs = detail::size32(dirs.size());
        }
        if (!config.probe_helper.empty())
            raw.probe_helper = config.probe_helper.c_str();
        if (!config.registry.empty())
            raw.registry = config.registry.c_str();
        if (!config.allow_dir.empty())
            raw.allow_dir = config.allow_dir.c_str();
        call.check(bp_env_create(&raw, &state_->env, call.err()));
    }
    /* Takes over an environment of backplane.h. */
    static Env adopt(bp_env *env)
    {
        auto state = std::make_shared<detail::EnvState>();

        state->env = env;
        return Env(std::move(state));
    }

    Env(Env &&) noexcept = default;
    Env &operator=(Env &&) noexcept = default;
    Env(const Env &) = delete;
    Env &operator=(const Env &) = delete;

    std::uint32_t threads() const
    {
        return bp_env_threads(handle());
    }
    bp_env_stats stats() const
    {
        bp_env_stats out = detail::sized<bp_env_stats>();
        detail::Call call;

        call.check(bp_env_get_stats(handle(), &out, call.err()));
        return out;
    }
    /* Frees idle frames of all sessions; bytes that were freed. */
    std::uint64_t trim()
    {
        detail::Call call;
        std::uint64_t freed = 0;

        call.check(bp_env_trim(handle(), &freed, call.err()));
        return freed;
    }
    void add_provider(const std::string &name, const KeyValues &options = {},
                      std::uint32_t fallback = BP_FALLBACK_DEFAULT)
    {
        std::vector<bp_key_value> raw = detail::key_values(options);
        detail::Call call;

        call.check(bp_env_add_provider(handle(), name.c_str(), raw.data(),
                                       detail::size32(raw.size()), fallback, call.err()));
    }
    /* Is the provider usable here and now? Else the Error says why not. */
    Result<void> is_available(const std::string &name) const
    {
        detail::Call call;
        bp_rc rc = bp_env_is_available(handle(), name.c_str(), call.err());

        if (rc < 0)
            return call.error(rc);
        return {};
    }
    std::uint32_t provider_count() const
    {
        detail::Call call;
        std::uint32_t n = 0;

        call.check(bp_env_provider_count(handle(), &n, call.err()));
        return n;
    }
    /* Opens provider i; strings are borrowed until the next call on the environment. */
    bp_provider_info provider(std::uint32_t i) const
    {
        bp_provider_info out = detail::sized<bp_provider_info>();
        detail::Call call;

        call.check(bp_env_provider_info(handle(), i, &out, call.err()));
        return out;
    }
    bp_env *handle() const
    {
        if (!state_)
            detail::refuse("an empty Env: it was moved from");
        return state_->env;
    }

  private:
    friend class Model;
    friend class Session;
    friend class Report;

    explicit Env(std::shared_ptr<detail::EnvState> state) noexcept : state_(std::move(state))
    {
    }
    std::shared_ptr<detail::EnvState> state() const
    {
        (void)handle();
        return state_;
    }

    std::shared_ptr<detail::EnvState> state_;
};

/* ---- session options ------------------------------------------------------------------------- */

class RunOptions;

/* The shape of an input; a size of -1 is the model's. */
struct NamedShape {
    std::string name;
    std::vector<std::int64_t> dims;
};

namespace detail
{

/* An allocator of the application; lives until options, sessions and all its memory are gone. */
class Allocator
{
  public:
    using Get = std::function<void *(std::size_t)>;
    using Put = std::function<void(void *)>;

    Allocator(Get get, Put put) : get_(std::move(get)), put_(std::move(put))
    {
    }
    /* The struct for the host, which copies it. */
    bp_allocator raw() noexcept
    {
        bp_allocator out = sized<bp_allocator>();

        out.alloc = take;
        out.free = give;
        out.user = this;
        return out;
    }
    void drop() noexcept
    {
        if (owners_.fetch_sub(1, std::memory_order_acq_rel) == 1)
            delete this;
    }

  private:
    ~Allocator() = default;

    static bp_rc take(void *user, std::size_t bytes, void **block, bp_err *err)
    {
        Allocator *self = static_cast<Allocator *>(user);

        *block = nullptr;
        bp_rc rc = contain(err, [&] { *block = self->get_(bytes); });
        if (rc == BP_OK && *block)
            self->owners_.fetch_add(1, std::memory_order_relaxed);
        return rc;
    }
    static void give(void *user, void *block)
    {
        Allocator *self = static_cast<Allocator *>(user);

        (void)contain(nullptr, [&] { self->put_(block); });
        self->drop();
    }

    Get get_;
    Put put_;
    std::atomic<std::size_t> owners_{1};
};

/* What the options of a session refer to. */
using Keep = std::shared_ptr<const void>;

} // namespace detail

/* Settings that sessions are created with; one object serves many. Setters return *this. */
class SessionOptions
{
  public:
    SessionOptions()
    {
        detail::Call call;

        call.check(bp_session_options_create(&options_, call.err()));
    }
    SessionOptions(SessionOptions &&other) noexcept
        : options_(std::exchange(other.options_, nullptr)), log_(std::move(other.log_)),
          allocator_(std::move(other.allocator_)), progress_(std::move(other.progress_))
    {
    }
    SessionOptions &operator=(SessionOptions &&other) noexcept
    {
        SessionOptions taken(std::move(other));

        std::swap(options_, taken.options_);
        std::swap(log_, taken.log_);
        std::swap(allocator_, taken.allocator_);
        std::swap(progress_, taken.progress_);
        return *this;
    }
    SessionOptions(const SessionOptions &) = delete;
    SessionOptions &operator=(const SessionOptions &) = delete;
    ~SessionOptions()
    {
        bp_session_options_destroy(options_);
    }

    SessionOptions &add_provider(const std::string &name, const KeyValues &options = {},
                                 std::uint32_t fallback = BP_FALLBACK_DEFAULT)
    {
        std::vector<bp_key_value> raw = detail::key_values(options);
        detail::Call call;

        call.check(bp_session_options_add_provider(
            handle(), name.c_str(), raw.data(), detail::size32(raw.size()), fallback, call.err()));
        return *this;
    }
    SessionOptions &set_fallback(std::uint32_t fallback)
    {
        detail::Call call;

        call.check(bp_session_options_set_fallback(handle(), fallback, call.err()));
        return *this;
    }
    SessionOptions &set_strict(bool on = true)
    {
        bp_session_options_set_strict(handle(), on);
        return *this;
    }
    SessionOptions &set_strict_shapes(bool on = true)
    {
        bp_session_options_set_strict_shapes(handle(), on);
        return *this;
    }
    SessionOptions &set_dimension(const std::string &name, std::int64_t size)
    {
        detail::Call call;

        call.check(bp_session_options_set_dimension(handle(), name.c_str(), size, call.err()));
        return *this;
    }
    /* Runs keep what the output has for the input of the next one, in a State; one '*' in each. */
    SessionOptions &add_state(const std::string &input, const std::string &output)
    {
        detail::Call call;

        call.check(
            bp_session_options_add_state(handle(), input.c_str(), output.c_str(), call.err()));
        return *this;
    }
    SessionOptions &add_placement(const std::string &rule)
    {
        detail::Call call;

        call.check(bp_session_options_add_placement(handle(), rule.c_str(), call.err()));
        return *this;
    }
    /* dir "": no cache; limit in bytes, 0: the default. */
    SessionOptions &set_cache(const std::string &dir, std::uint64_t limit = 0)
    {
        detail::Call call;

        call.check(bp_session_options_set_cache(handle(), dir.c_str(), limit, call.err()));
        return *this;
    }
    SessionOptions &set_threads(std::uint32_t threads)
    {
        bp_session_options_set_threads(handle(), threads);
        return *this;
    }
    SessionOptions &set_max_shapes(std::uint32_t n)
    {
        bp_session_options_set_max_shapes(handle(), n);
        return *this;
    }
    /*
     * Sessions are prepared for these input shapes before they are there; inputs that are left
     * out, and sizes of -1, are as the model or set_dimension() says.
     */
    SessionOptions &add_shapes(const std::vector<NamedShape> &inputs)
    {
        std::vector<bp_named_shape> raw(inputs.size());
        detail::Call call;

        for (std::size_t i = 0; i < inputs.size(); i++) {
            raw[i].name = inputs[i].name.c_str();
            raw[i].dims = inputs[i].dims.data();
            raw[i].rank = detail::size32(inputs[i].dims.size());
        }
        call.check(bp_session_options_add_shapes(handle(), raw.data(), detail::size32(raw.size()),
                                                 call.err()));
        return *this;
    }
    /* For how many runs at once; the limits' deadline and Cancel end the creation. */
    SessionOptions &set_prepare(std::uint32_t n_runs, const RunOptions &limits);
    SessionOptions &set_memory_limit(std::uint64_t bytes)
    {
        bp_session_options_set_memory_limit(handle(), bytes);
        return *this;
    }
    SessionOptions &set_optimization(std::uint32_t level)
    {
        detail::Call call;

        call.check(bp_session_options_set_optimization(handle(), level, call.err()));
        return *this;
    }
    /* An empty function: lines go to the environment's. level 0: BP_LOG_WARN. */
    SessionOptions &set_log(LogFunction log, std::uint32_t level = 0)
    {
        bp_session_options *options = handle();
        std::shared_ptr<LogFunction> kept;

        if (log)
            kept = std::make_shared<LogFunction>(std::move(log));
        bp_session_options_set_log(options, kept ? detail::log_line : nullptr, kept.get(), level);
        log_ = std::move(kept);
        return *this;
    }
    /*
     * Memory of runs; see bp_session_options_set_allocator(). `get` returns that many bytes, or
     * nullptr or an exception where there are none. Several threads may call both at once. They live
     * until the last of their memory is back.
     */
    SessionOptions &set_allocator(std::function<void *(std::size_t bytes)> get,
                                  std::function<void(void *block)> put)
    {
        bp_session_options *options = handle();
        detail::Call call;

        if (!get || !put)
            detail::refuse("an allocator without one of its two functions");
        std::shared_ptr<detail::Allocator> kept(
            new detail::Allocator(std::move(get), std::move(put)),
            [](detail::Allocator *allocator) { allocator->drop(); });
        bp_allocator raw = kept->raw();
        call.check(bp_session_options_set_allocator(options, &raw, call.err()));
        allocator_ = std::move(kept);
        return *this;
    }
    /* Called at each phase of creating a session, on its thread; fraction: 0 to 1 of the whole. */
    SessionOptions &set_progress(std::function<void(std::string_view phase, double fraction)> fn)
    {
        bp_session_options *options = handle();
        std::shared_ptr<Progress> kept;

        if (fn)
            kept = std::make_shared<Progress>(std::move(fn));
        bp_session_options_set_progress(options, kept ? progress : nullptr, kept.get());
        progress_ = std::move(kept);
        return *this;
    }
    bp_session_options *handle() const
    {
        if (!options_)
            detail::refuse("empty SessionOptions: they were moved from");
        return options_;
    }

  private:
    friend class Session;

    using Progress = std::function<void(std::string_view, double)>;

    static void progress(void *user, const char *phase, double fraction)
    {
        (void)detail::contain(nullptr,
                              [&] { (*static_cast<const Progress *>(user))(phase, fraction); });
    }

    bp_session_options *options_ = nullptr;
    detail::Keep log_, allocator_, progress_;
};

/* ---- inputs and outputs ---------------------------------------------------------------------- */

/* A size that a model declares. */
struct DimInfo {
    std::int64_t value; /* -1: not fixed */
    std::string symbol; /* "": none */
};

/* An input or output, with copies of all strings. */
struct IoInfo {
    std::string name;
    std::uint32_t kind = BP_KIND_TENSOR;
    std::uint32_t dtype = BP_DTYPE_NONE; /* of a tensor's elements */
    std::uint32_t flags = 0;             /* BP_IO_* */
    bool has_rank = false;               /* else the model does not say it */
    std::vector<DimInfo> dims;

    IoInfo() = default;
    explicit IoInfo(const bp_io_info &raw)
        : name(raw.name ? raw.name : ""), kind(raw.type ? raw.type->kind : 0), dtype(raw.dtype),
          flags(raw.flags), has_rank(raw.rank != BP_RANK_UNKNOWN)
    {
        for (std::uint32_t i = 0; has_rank && i < raw.rank; i++)
            dims.push_back({raw.dims[i].value, raw.dims[i].symbol ? raw.dims[i].symbol : ""});
    }
    bool is_optional() const noexcept
    {
        return (flags & BP_IO_OPTIONAL) != 0;
    }
};

/* An input or output by name, or by index, which is faster. */
class Port
{
  public:
    template <typename I,
              typename = std::enable_if_t<std::is_integral_v<I> && !std::is_same_v<I, bool>>>
    Port(I index) noexcept
    {
        if (index >= 0 && static_cast<std::uintmax_t>(index) < BP_NONE)
            index_ = static_cast<std::uint32_t>(index);
    }
    Port(std::string name) noexcept : is_named_(true), name_(std::move(name))
    {
    }
    Port(const char *name) : is_named_(true), name_(name ? name : "")
    {
    }

    bool is_named() const noexcept
    {
        return is_named_;
    }
    /* BP_NONE for a number that is no index; then, as for one past the end, runs fail. */
    std::uint32_t index() const noexcept
    {
        return index_;
    }
    const std::string &name() const noexcept
    {
        return name_;
    }

  private:
    bool is_named_ = false;
    std::uint32_t index_ = BP_NONE;
    std::string name_;
};

/* What a run reads at an input. */
class Feed
{
  public:
    Feed(Port port, TensorView tensor) : port_(std::move(port)), tensor_(std::move(tensor))
    {
    }
    Feed(Port port, Object object) : port_(std::move(port)), object_(std::move(object))
    {
    }

    const Port &port() const noexcept
    {
        return port_;
    }

  private:
    friend class Session;

    Port port_;
    TensorView tensor_;
    Object object_;
};

/* Where a run writes an output: memory of the caller, which borrows the view for the run. */
class Target
{
  public:
    Target(Port port, OutputView &view) : port_(std::move(port)), view_(&view)
    {
    }

    const Port &port() const noexcept
    {
        return port_;
    }

  private:
    friend class Session;

    Port port_;
    OutputView *view_;
};

/* ---- models ---------------------------------------------------------------------------------- */

namespace detail
{

struct ModelState {
    bp_model *model = nullptr;
    std::shared_ptr<EnvState> env;
    Keep bytes; /* of from_bytes() */

    ModelState() = default;
    ModelState(const ModelState &) = delete;
    ModelState &operator=(const ModelState &) = delete;
    ~ModelState()
    {
        bp_model_close(model);
    }
};

} // namespace detail

/* A model that was read and checked. */
class Model
{
  public:
    /* Opens a file; errors are those of bp_model_open(). */
    Model(const Env &env, const std::string &path) : Model(env)
    {
        detail::Call call;

        call.check(bp_model_open(env.handle(), path.c_str(), &state_->model, call.err()));
    }
    /* From memory that outlives the model and its sessions. dir: of external data; "": none. */
    static Model from_memory(const Env &env, const void *bytes, std::size_t size,
                             const std::string &dir = std::string())
    {
        Model out(env);

        out.open(bytes, size, dir);
        return out;
    }
    /* The same, of bytes that the model keeps. */
    static Model from_bytes(const Env &env, std::string bytes,
                            const std::string &dir = std::string())
    {
        Model out(env);
        auto kept = std::make_shared<const std::string>(std::move(bytes));

        out.state_->bytes = kept;
        out.open(kept->data(), kept->size(), dir);
        return out;
    }

    Model(Model &&) noexcept = default;
    Model &operator=(Model &&) noexcept = default;
    Model(const Model &) = delete;
    Model &operator=(const Model &) = delete;

    /* Strings live as long as the model. */
    bp_model_info info() const
    {
        bp_model_info out = detail::sized<bp_model_info>();
        detail::Call call;

        call.check(bp_model_get_info(handle(), &out, call.err()));
        return out;
    }
    /* As the model declares them. */
    std::vector<IoInfo> inputs() const
    {
        return list(info().n_inputs, bp_model_input);
    }
    std::vector<IoInfo> outputs() const
    {
        return list(info().n_outputs, bp_model_output);
    }
    /*
     * A model in which groups of nodes are compiled programs of their providers; nothing where no
     * provider saves programs. path: that the new model will have, with programs beside it; "": they
     * lie in the model. Errors are those of bp_model_compile().
     */
    std::optional<Model> compile(const SessionOptions &options,
                                 const std::string &path = std::string()) const
    {
        bp_context_config config = detail::sized<bp_context_config>();
        bp_model *raw = handle();
        Model out(state_->env, state_->bytes);
        std::uint32_t n_programs = 0;
        detail::Call call;

        config.flags = path.empty() ? BP_CONTEXT_EMBED : 0;
        config.path = detail::text_or_null(path);
        call.check(bp_model_compile(state_->env->env, raw, options.handle(), &config,
                                    &out.state_->model, &n_programs, nullptr, call.err()));
        if (!out.state_->model)
            return std::nullopt;
        return out;
    }
    bp_model *handle() const
    {
        if (!state_)
            detail::refuse("an empty Model: it was moved from");
        return state_->model;
    }

  private:
    friend class Session;

    explicit Model(const Env &env) : state_(std::make_unique<detail::ModelState>())
    {
        state_->env = env.state();
    }
    /* For a model made of another one, whose weights it shares. */
    Model(std::shared_ptr<detail::EnvState> env, detail::Keep bytes)
        : state_(std::make_unique<detail::ModelState>())
    {
        state_->env = std::move(env);
        state_->bytes = std::move(bytes);
    }
    void open(const void *bytes, std::size_t size, const std::string &dir)
    {
        detail::Call call;

        call.check(bp_model_open_memory(state_->env->env, bytes, size, detail::text_or_null(dir),
                                        &state_->model, call.err()));
    }
    std::vector<IoInfo> list(std::uint32_t n, bp_rc (*get)(const bp_model *, std::uint32_t,
                                                           bp_io_info *, bp_err *)) const
    {
        std::vector<IoInfo> out;
        detail::Call call;

        for (std::uint32_t i = 0; i < n; i++) {
            bp_io_info raw = detail::sized<bp_io_info>();

            call.check(get(handle(), i, &raw, call.err()));
            out.emplace_back(raw);
        }
        return out;
    }

    std::unique_ptr<detail::ModelState> state_;
};

/* ---- reports and profiles -------------------------------------------------------------------- */

/* A report of a session; lives until its set_providers() or its end. Strings live as long. */
class ReportView
{
  public:
    explicit ReportView(const bp_report *report) noexcept : report_(report)
    {
    }

    std::uint32_t provider_count() const
    {
        return bp_report_provider_count(handle());
    }
    std::uint32_t node_count() const
    {
        return bp_report_node_count(handle());
    }
    std::uint32_t group_count() const
    {
        return bp_report_group_count(handle());
    }
    /* Row i; BP_E_INVALID: there is none. */
    bp_report_provider provider(std::uint32_t i) const
    {
        return row<bp_report_provider>(bp_report_get_provider, i);
    }
    bp_report_node node(std::uint32_t i) const
    {
        return row<bp_report_node>(bp_report_get_node, i);
    }
    bp_report_group group(std::uint32_t i) const
    {
        return row<bp_report_group>(bp_report_get_group, i);
    }
    std::string json() const
    {
        detail::Call call;
        char *text = nullptr;

        call.check(bp_report_json(handle(), &text, call.err()));
        return detail::take_text(text);
    }
    const bp_report *handle() const
    {
        if (!report_)
            detail::refuse("an empty report: it was moved from");
        return report_;
    }

  protected:
    const bp_report *report_;

  private:
    template <typename Row>
    Row row(bp_rc (*get)(const bp_report *, std::uint32_t, Row *, bp_err *), std::uint32_t i) const
    {
        Row out = detail::sized<Row>();
        detail::Call call;

        call.check(get(handle(), i, &out, call.err()));
        return out;
    }
};

/* The report of a plan, without a session. */
class Report : public ReportView
{
  public:
    /* Plans a model without compiling or running it; see bp_plan_create(). */
    Report(const Env &env, const Model &model) : Report(env, model, nullptr)
    {
    }
    Report(const Env &env, const Model &model, const SessionOptions &options)
        : Report(env, model, options.handle())
    {
    }
    Report(Report &&other) noexcept
        : ReportView(std::exchange(other.report_, nullptr)), owned_(std::move(other.owned_)),
          env_(std::move(other.env_))
    {
    }
    Report &operator=(Report &&other) noexcept
    {
        Report taken(std::move(other));

        std::swap(report_, taken.report_);
        std::swap(owned_, taken.owned_);
        std::swap(env_, taken.env_);
        return *this;
    }
    Report(const Report &) = delete;
    Report &operator=(const Report &) = delete;
    ~Report()
    {
        owned_.reset(); /* before the environment */
    }

  private:
    Report(const Env &env, const Model &model, const bp_session_options *options)
        : ReportView(nullptr), owned_(nullptr, bp_report_destroy), env_(env.state())
    {
        detail::Call call;
        bp_report *report = nullptr;

        call.check(bp_plan_create(env.handle(), model.handle(), options, &report, call.err()));
        owned_.reset(report);
        report_ = report;
    }

    std::unique_ptr<bp_report, void (*)(bp_report *)> owned_;
    std::shared_ptr<detail::EnvState> env_;
};

/* What runs do and when; must outlive the runs that write to it. */
class Profile
{
  public:
    /* capacity: events, of which new ones replace the oldest; 0: 65536. */
    explicit Profile(std::uint32_t capacity = 0) : profile_(nullptr, bp_profile_destroy)
    {
        detail::Call call;
        bp_profile *profile = nullptr;

        call.check(bp_profile_create(capacity, &profile, call.err()));
        profile_.reset(profile);
    }

    /* A span of the application's own. [any thread] */
    void add(const std::string &name, std::chrono::steady_clock::time_point start,
             std::chrono::steady_clock::time_point end)
    {
        detail::Call call;

        call.check(bp_profile_add(handle(), name.c_str(),
                                  detail::nanoseconds_of(start.time_since_epoch()),
                                  detail::nanoseconds_of(end.time_since_epoch()), call.err()));
    }
    std::uint32_t count() const
    {
        return bp_profile_count(handle());
    }
    std::uint64_t dropped() const
    {
        return bp_profile_dropped(handle());
    }
    /* Event i, the oldest first; strings live as long as the profile. */
    bp_profile_event event(std::uint32_t i) const
    {
        bp_profile_event out = detail::sized<bp_profile_event>();
        detail::Call call;

        call.check(bp_profile_get(handle(), i, &out, call.err()));
        return out;
    }
    /* In Chrome's trace event format. */
    std::string json() const
    {
        detail::Call call;
        char *text = nullptr;

        call.check(bp_profile_json(handle(), &text, call.err()));
        return detail::take_text(text);
    }
    bp_profile *handle() const
    {
        if (!profile_)
            detail::refuse("an empty Profile: it was moved from");
        return profile_.get();
    }

  private:
    std::unique_ptr<bp_profile, void (*)(bp_profile *)> profile_;
};

/* ---- runs ------------------------------------------------------------------------------------ */

/* Stops the runs that have it in their options, for good. [any thread] */
class Cancel
{
  public:
    Cancel() noexcept = default;
    Cancel(const Cancel &) = delete;
    Cancel &operator=(const Cancel &) = delete;

    void cancel() noexcept
    {
        flag_.store(1);
    }
    bool is_cancelled() const noexcept
    {
        return flag_.load() != 0;
    }
    const volatile std::uint32_t *handle() const noexcept
    {
        return reinterpret_cast<const volatile std::uint32_t *>(&flag_);
    }

  private:
    static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t) &&
                      std::atomic<std::uint32_t>::is_always_lock_free,
                  "an atomic number is a number, as the host reads it");

    std::atomic<std::uint32_t> flag_{0};
};

#ifdef __cpp_lib_jthread
/* A Cancel that a std::stop_token sets. */
class StopCancel : public Cancel
{
  public:
    explicit StopCancel(std::stop_token token) : callback_(std::move(token), Set{this})
    {
    }

  private:
    struct Set {
        Cancel *cancel;
        void operator()() const noexcept
        {
            cancel->cancel();
        }
    };

    std::stop_callback<Set> callback_;
};
#endif

/* How a run goes; nothing set: without end, unmeasured. Setters return *this. */
class State;

class RunOptions
{
  public:
    RunOptions() noexcept : raw_(detail::sized<bp_run_options>())
    {
    }

    /* How long the run may take, then BP_E_TIMEOUT. Nothing left, 0 or less, ends it at once. */
    template <typename Rep, typename Period>
    RunOptions &timeout(std::chrono::duration<Rep, Period> time) noexcept
    {
        std::int64_t ns = detail::nanoseconds_of(time);

        raw_.timeout_ns = ns > 0 ? ns : -1;
        return *this;
    }
    /* When the run ends with BP_E_TIMEOUT; with a timeout as well, the earlier moment counts. */
    template <typename Duration>
    RunOptions &deadline(std::chrono::time_point<std::chrono::steady_clock, Duration> time) noexcept
    {
        /* steady_clock is CLOCK_MONOTONIC; 0 there means "no deadline", 1 is as long ago */
        raw_.deadline_ns =
            std::max<std::int64_t>(detail::nanoseconds_of(time.time_since_epoch()), 1);
        return *this;
    }
    /* Must outlive the runs. */
    RunOptions &cancel(const Cancel &cancel) noexcept
    {
        raw_.cancel = cancel.handle();
        return *this;
    }
    RunOptions &cancel(const Cancel &&) = delete; /* a temporary is gone before the run */
    RunOptions &profile(Profile &profile)
    {
        raw_.profile = profile.handle();
        return *this;
    }
    /* Must outlive the runs; one of them at a time. */
    RunOptions &state(State &state);
    const bp_run_options &handle() const noexcept
    {
        return raw_;
    }

  private:
    bp_run_options raw_;
};

inline SessionOptions &SessionOptions::set_prepare(std::uint32_t n_runs, const RunOptions &limits)
{
    bp_prepare_options raw = detail::sized<bp_prepare_options>();
    detail::Call call;

    raw.n_runs = n_runs;
    raw.cancel = limits.handle().cancel;
    raw.deadline_ns = limits.handle().deadline_ns;
    call.check(bp_session_options_set_prepare(handle(), &raw, call.err()));
    return *this;
}

/* ---- sessions -------------------------------------------------------------------------------- */

namespace detail
{

struct SessionState {
    bp_session *session = nullptr;
    std::shared_ptr<EnvState> env;
    std::vector<Keep> kept; /* functions of options, bytes of the model */

    SessionState() = default;
    SessionState(const SessionState &) = delete;
    SessionState &operator=(const SessionState &) = delete;
    ~SessionState()
    {
        bp_session_destroy(session);
    }
};

/* Bindings of a run; up to eight lie in the object itself. */
class Bindings
{
  public:
    explicit Bindings(std::size_t n) : n_(n)
    {
        if (n > few_.size())
            many_.resize(n);
    }
    bp_binding *data() noexcept
    {
        return many_.empty() ? few_.data() : many_.data();
    }
    bp_binding &operator[](std::size_t i) noexcept
    {
        return data()[i];
    }
    std::uint32_t size() const noexcept
    {
        return static_cast<std::uint32_t>(n_);
    }

  private:
    std::size_t n_;
    std::array<bp_binding, 8> few_ = {};
    std::vector<bp_binding> many_;
};

} // namespace detail

/*
 * A model that is ready to run. Several threads may run one session; share() gives each a part of
 * its own in it, so that a new session can take its place while they go on.
 */
class Session
{
  public:
    /* Errors are those of bp_session_create(). */
    Session(const Env &env, const std::string &path) : Session(env.state())
    {
        detail::Call call;

        call.check(
            bp_session_create(env.handle(), path.c_str(), nullptr, &state_->session, call.err()));
    }
    Session(const Env &env, const std::string &path, const SessionOptions &options)
        : Session(env.state())
    {
        detail::Call call;

        keep(options);
        call.check(bp_session_create(env.handle(), path.c_str(), options.handle(), &state_->session,
                                     call.err()));
    }
    explicit Session(const Model &model) : Session(model, nullptr)
    {
    }
    Session(const Model &model, const SessionOptions &options) : Session(model, &options)
    {
    }

    Session(Session &&) noexcept = default;
    Session &operator=(Session &&) noexcept = default;
    Session(const Session &) = delete;
    Session &operator=(const Session &) = delete;

    /* One more owner of the same session; the last one's end waits for runs and destroys it. */
    Session share() const
    {
        (void)handle();
        return Session(state_);
    }

    std::vector<IoInfo> inputs() const
    {
        return list(bp_session_input_count(handle()), bp_session_input);
    }
    std::vector<IoInfo> outputs() const
    {
        return list(bp_session_output_count(handle()), bp_session_output);
    }
    /* Index of an input or output; BP_E_INVALID names the nearest. */
    std::uint32_t find_input(const std::string &name) const
    {
        return find(name, bp_session_find_input);
    }
    std::uint32_t find_output(const std::string &name) const
    {
        return find(name, bp_session_find_output);
    }

    /*
     * Runs once; returns the outputs in the order of `outputs`, or where it is empty all that no
     * State keeps, in memory that the run allocates. [any thread, several at once]
     */
    std::vector<Value> run(Span<const Feed> inputs, Span<const Port> outputs = {},
                           const RunOptions &options = {})
    {
        return try_run(inputs, outputs, options).value();
    }
    Result<std::vector<Value>> try_run(Span<const Feed> inputs, Span<const Port> outputs = {},
                                       const RunOptions &options = {})
    {
        const std::size_t n = outputs.empty() && state_ ? count_fetched() : outputs.size();
        detail::Bindings out(n);
        std::uint32_t next = 0;
        std::vector<Value> values;
        detail::Call call;
        bp_rc rc = BP_OK;

        values.reserve(n);
        for (std::size_t i = 0; i < n && rc >= 0; i++) {
            if (outputs.empty())
                out[i].index = next_fetched(&next);
            else
                rc = place(outputs[i], bp_session_find_output, &out[i], call);
        }
        if (rc >= 0)
            rc = run_bound(inputs, out, options, call);
        if (rc < 0)
            return call.error(rc);
        for (std::size_t i = 0; i < n; i++) { /* nothing here throws: all is owned at once */
            if (out[i].object)
                values.emplace_back(Object::adopt(out[i].object));
            else
                values.emplace_back(Tensor::adopt(out[i].tensor));
        }
        return values;
    }
    /*
     * Runs once and writes the outputs to memory of the caller. With the same shapes as before, at
     * most eight inputs and outputs, named by index or by short names, it allocates nothing.
     * BP_E_SPACE: the memory is too small. BP_E_INVALID: the output has other elements than the
     * view. [any thread, several at once, with views of their own]
     */
    void run_into(Span<const Feed> inputs, Span<const Target> outputs,
                  const RunOptions &options = {})
    {
        try_run_into(inputs, outputs, options).value();
    }
    Result<void> try_run_into(Span<const Feed> inputs, Span<const Target> outputs,
                              const RunOptions &options = {})
    {
        detail::Bindings out(outputs.size());
        detail::Call call;
        bp_rc rc = BP_OK;

        for (std::size_t i = 0; i < outputs.size() && rc >= 0; i++) {
            rc = place(outputs[i].port_, bp_session_find_output, &out[i], call);
            if (rc >= 0)
                rc = check_type(out[i].index, outputs[i].view_->dtype_, call);
            out[i].tensor = outputs[i].view_->raw();
        }
        if (rc >= 0)
            rc = run_bound(inputs, out, options, call);
        if (rc < 0)
            return call.error(rc);
        for (std::size_t i = 0; i < outputs.size(); i++)
            outputs[i].view_->fill(out[i].tensor);
        return {};
    }
#ifdef __cpp_lib_jthread
    /*
     * The same, and BP_E_CANCELLED once the token is asked to stop. The token replaces a Cancel in
     * the options.
     */
    std::vector<Value> run(std::stop_token token, Span<const Feed> inputs,
                           Span<const Port> outputs = {}, RunOptions options = {})
    {
        return try_run(std::move(token), inputs, outputs, options).value();
    }
    Result<std::vector<Value>> try_run(std::stop_token token, Span<const Feed> inputs,
                                       Span<const Port> outputs = {}, RunOptions options = {})
    {
        StopCancel cancel(std::move(token));

        return try_run(inputs, outputs, options.cancel(cancel));
    }
#endif

    /*
     * Runs in the background: the future has the outputs, or throws the Error. Elements of `inputs`,
     * and a Cancel or Profile in the options, have to stay until then. The session's end waits for
     * it. [any thread]
     */
    std::future<std::vector<Value>> run_async(Span<const Feed> inputs,
                                              Span<const Port> outputs = {},
                                              const RunOptions &options = {})
    {
        const std::size_t n = handle() && outputs.empty() ? count_fetched() : outputs.size();
        std::uint32_t next = 0;
        auto pending = std::make_unique<Pending>(inputs, n);
        std::future<std::vector<Value>> future = pending->promise.get_future();
        detail::Call call;

        for (std::size_t i = 0; i < n; i++) {
            if (outputs.empty())
                pending->out[i].index = next_fetched(&next);
            else
                call.check(place(outputs[i], bp_session_find_output, &pending->out[i], call));
        }
        call.check(place_all(pending->feeds, pending->in, call));
        call.check(bp_session_run_async(state_->session, pending->in.data(), pending->in.size(),
                                        pending->out.data(), pending->out.size(), &options.handle(),
                                        end_pending, pending.get(), call.err()));
        pending.release(); /* the callback's */
        return future;
    }
    /*
     * Prepares for runs with these input shapes; how many parts of the model stay unprepared,
     * because their sizes come with data. Errors are those of bp_session_prepare().
     */
    std::uint32_t prepare(const std::vector<NamedShape> &inputs, std::uint32_t n_runs = 1,
                          const RunOptions &limits = {})
    {
        bp_prepare_options raw = detail::sized<bp_prepare_options>();
        std::vector<bp_binding> bindings(inputs.size());
        bp_run_shapes set = {};
        detail::Call call;

        raw.n_runs = n_runs;
        raw.cancel = limits.handle().cancel;
        raw.deadline_ns = limits.handle().deadline_ns;
        for (std::size_t i = 0; i < inputs.size(); i++) {
            bindings[i].index = find_input(inputs[i].name);
            bindings[i].tensor.dims = const_cast<std::int64_t *>(inputs[i].dims.data());
            bindings[i].tensor.rank = detail::size32(inputs[i].dims.size());
        }
        set.inputs = bindings.data();
        set.n_inputs = detail::size32(bindings.size());
        call.check(bp_session_prepare(handle(), &set, 1, &raw, call.err()));
        return raw.n_unprepared;
    }

    /* BP_E_BUSY: a run is in flight. On failure the session is unchanged. */
    void set_providers(const SessionOptions &options)
    {
        detail::Call call;

        (void)handle();
        keep(options);
        call.check(bp_session_set_providers(handle(), options.handle(), call.err()));
    }
    /* Short names, highest priority first, cpu last. */
    std::vector<std::string> providers() const
    {
        std::vector<std::string> out;

        for (std::uint32_t i = 0;; i++) {
            const char *name = bp_session_provider(handle(), i);

            if (!name)
                return out;
            out.emplace_back(name);
        }
    }
    /* Changes a dynamic option of a provider. */
    void set_option(const std::string &provider, const std::string &key, const std::string &value)
    {
        detail::Call call;

        call.check(bp_session_set_option(handle(), provider.c_str(), key.c_str(), value.c_str(),
                                         call.err()));
    }
    ReportView report() const
    {
        return ReportView(bp_session_report(handle()));
    }
    bp_session_stats stats() const
    {
        bp_session_stats out = detail::sized<bp_session_stats>();
        detail::Call call;

        call.check(bp_session_get_stats(handle(), &out, call.err()));
        return out;
    }
    /* Frees idle frames; bytes that were freed. */
    std::uint64_t trim()
    {
        detail::Call call;
        std::uint64_t freed = 0;

        call.check(bp_session_trim(handle(), &freed, call.err()));
        return freed;
    }
    bp_session *handle() const
    {
        if (!state_)
            detail::refuse("an empty Session: it was moved from");
        return state_->session;
    }

  private:
    explicit Session(std::shared_ptr<detail::EnvState> env)
        : state_(std::make_shared<detail::SessionState>())
    {
        state_->env = std::move(env);
    }
    explicit Session(std::shared_ptr<detail::SessionState> state) noexcept
        : state_(std::move(state))
    {
    }
    Session(const Model &model, const SessionOptions *options)
        : state_(std::make_shared<detail::SessionState>())
    {
        detail::Call call;
        bp_model *raw = model.handle();

        state_->env = model.state_->env;
        state_->kept.push_back(model.state_->bytes);
        if (options)
            keep(*options);
        call.check(bp_session_create_from_model(state_->env->env, raw,
                                                options ? options->handle() : nullptr,
                                                &state_->session, call.err()));
    }

    /* The progress function too: set_providers() of the session may call it. */
    void keep(const SessionOptions &options)
    {
        for (const detail::Keep &one : {options.log_, options.allocator_, options.progress_}) {
            if (one &&
                std::find(state_->kept.begin(), state_->kept.end(), one) == state_->kept.end())
                state_->kept.push_back(one);
        }
    }

    using Find = bp_rc (*)(const bp_session *, const char *, std::uint32_t *, bp_err *);

    bp_rc empty(detail::Call &call) const noexcept
    {
        return detail::tell(call.err(), BP_E_INVALID, "an empty Session: it was moved from");
    }
    bp_rc place(const Port &port, Find find_port, bp_binding *binding, detail::Call &call) const
    {
        if (!state_)
            return empty(call);
        binding->index = port.index();
        return port.is_named()
                   ? find_port(state_->session, port.name().c_str(), &binding->index, call.err())
                   : BP_OK;
    }
    /* Elements of the caller's memory must be those of the output, as far as the model knows. */
    bp_rc check_type(std::uint32_t output, std::uint32_t dtype, detail::Call &call) const
    {
        bp_io_info info = detail::sized<bp_io_info>();
        bp_rc rc = bp_session_output(state_->session, output, &info, call.err());

        if (rc < 0 || info.dtype == BP_DTYPE_NONE || info.dtype == dtype)
            return rc;
        return detail::tell(call.err(), BP_E_INVALID,
                            (std::string("output ") + info.name + " has elements of " +
                             bp_dtype_name(info.dtype) + ", its memory of " + bp_dtype_name(dtype))
                                .c_str());
    }
    bp_rc place_all(Span<const Feed> inputs, detail::Bindings &in, detail::Call &call) const
    {
        if (!state_)
            return empty(call);
        for (std::size_t i = 0; i < inputs.size(); i++) {
            bp_rc rc = place(inputs[i].port_, bp_session_find_input, &in[i], call);

            if (rc < 0)
                return rc;
            if (inputs[i].object_)
                in[i].object = inputs[i].object_.handle();
            else
                in[i].tensor = inputs[i].tensor_.raw();
        }
        return BP_OK;
    }

    /* A run in the background, until its callback. */
    struct Pending {
        std::vector<Feed> feeds;
        detail::Bindings in, out;
        std::vector<Value> values;
        std::promise<std::vector<Value>> promise;

        Pending(Span<const Feed> inputs, std::size_t n)
            : feeds(inputs.begin(), inputs.end()), in(inputs.size()), out(n)
        {
            values.reserve(n);
        }
    };

    static void end_pending(void *user, bp_rc rc, const bp_err *err)
    {
        std::unique_ptr<Pending> pending(static_cast<Pending *>(user));

        for (std::size_t i = 0; rc >= 0 && i < pending->out.size(); i++) {
            bp_binding &out = pending->out[i];

            if (out.object)
                pending->values.emplace_back(Object::adopt(out.object));
            else
                pending->values.emplace_back(Tensor::adopt(out.tensor));
        }
        if (rc < 0)
            pending->promise.set_exception(std::make_exception_ptr(detail::error_of(rc, err)));
        else
            pending->promise.set_value(std::move(pending->values));
    }

    /* Is it an output that no State keeps? */
    bool is_fetched(std::uint32_t i) const noexcept
    {
        bp_io_info info = detail::sized<bp_io_info>();

        return bp_session_output(state_->session, i, &info, nullptr) >= 0 &&
               !(info.flags & BP_IO_KEPT);
    }
    std::size_t count_fetched() const noexcept
    {
        std::size_t n = 0;

        for (std::uint32_t i = 0; i < bp_session_output_count(state_->session); i++)
            n += is_fetched(i);
        return n;
    }
    /* The next of them from *at on, which exists. */
    std::uint32_t next_fetched(std::uint32_t *at) const noexcept
    {
        while (!is_fetched(*at))
            ++*at;
        return (*at)++;
    }
    bp_rc run_bound(Span<const Feed> inputs, detail::Bindings &out, const RunOptions &options,
                    detail::Call &call)
    {
        detail::Bindings in(inputs.size());
        bp_rc rc = place_all(inputs, in, call);

        if (rc < 0)
            return rc;
        return bp_session_run(state_->session, in.data(), in.size(), out.data(), out.size(),
                              &options.handle(), call.err());
    }
    std::uint32_t find(const std::string &name, Find find_port) const
    {
        detail::Call call;
        std::uint32_t index = 0;

        call.check(find_port(handle(), name.c_str(), &index, call.err()));
        return index;
    }
    std::vector<IoInfo> list(std::uint32_t n, bp_rc (*get)(const bp_session *, std::uint32_t,
                                                           bp_io_info *, bp_err *)) const
    {
        std::vector<IoInfo> out;
        detail::Call call;

        for (std::uint32_t i = 0; i < n; i++) {
            bp_io_info raw = detail::sized<bp_io_info>();

            call.check(get(handle(), i, &raw, call.err()));
            out.emplace_back(raw);
        }
        return out;
    }

    std::shared_ptr<detail::SessionState> state_;
};

/* ---- bound inputs and outputs ---------------------------------------------------------------- */

/*
 * Inputs and outputs that are bound once, for many runs: see bp_io_binding. One thread at a time.
 *
 *     backplane::IoBinding io(session);
 *     io.set_input("x", backplane::TensorView(x, {1, 3}));
 *     io.set_output("y");
 *     while (fill(x)) {
 *         io.run();
 *         use(io.output("y").data<float>());
 *     }
 */
class IoBinding
{
  public:
    explicit IoBinding(const Session &session)
        : session_(std::make_unique<Session>(session.share())), io_(nullptr, bp_io_binding_destroy)
    {
        detail::Call call;
        bp_io_binding *raw = nullptr;

        call.check(bp_io_binding_create(session.handle(), &raw, call.err()));
        io_.reset(raw);
    }

    /* The elements are read in each run, where they are. */
    IoBinding &set_input(const Port &port, const TensorView &tensor)
    {
        bp_binding value = at(port);

        value.tensor.base = const_cast<void *>(tensor.base());
        value.tensor.bytes = tensor.bytes();
        value.tensor.dims = const_cast<std::int64_t *>(tensor.dims().data());
        value.tensor.rank = detail::size32(tensor.dims().size());
        value.tensor.dtype = tensor.dtype();
        return input(port, value);
    }
    IoBinding &set_input(const Port &port, const Object &object)
    {
        bp_binding value = at(port);

        value.object = object.handle();
        return input(port, value);
    }
    /* To memory of the library, which stays between runs. */
    IoBinding &set_output(const Port &port)
    {
        return output(port, at(port));
    }
    /* To memory of the caller, as long as it is bound. */
    template <typename T, typename = std::enable_if_t<dtype_of<T> != 0>>
    IoBinding &set_output(const Port &port, T *elements, std::size_t count)
    {
        bp_binding value = at(port);

        value.tensor.base = elements;
        value.tensor.bytes = count * sizeof(T);
        value.tensor.dtype = dtype_of<T>;
        return output(port, value);
    }
    void clear_inputs()
    {
        bp_io_binding_clear_inputs(handle());
    }
    void clear_outputs()
    {
        bp_io_binding_clear_outputs(handle());
    }

    void run(const RunOptions &options = {})
    {
        detail::Call call;

        call.check(bp_io_binding_run(handle(), &options.handle(), call.err()));
    }
    /*
     * In the background; a Cancel or Profile in the options has to stay until the future is ready,
     * which throws the Error. Until then other functions are BP_E_BUSY.
     */
    std::future<void> run_async(const RunOptions &options = {})
    {
        auto promise = std::make_unique<std::promise<void>>();
        std::future<void> future = promise->get_future();
        detail::Call call;

        call.check(
            bp_io_binding_run_async(handle(), &options.handle(), end, promise.get(), call.err()));
        promise.release(); /* the callback's */
        return future;
    }
    /* A tensor of the last run; borrowed until the next one. BP_E_INVALID: there is none. */
    TensorView output(const Port &port) const
    {
        const bp_binding *value = value_of(port);

        if (value->object)
            detail::refuse("an output that is no tensor: object() has it");
        return TensorView(value->tensor);
    }
    Object object(const Port &port) const
    {
        return Object::adopt(bp_object_retain(value_of(port)->object));
    }
    bp_io_binding *handle() const
    {
        if (!io_)
            detail::refuse("an empty IoBinding: it was moved from");
        return io_.get();
    }

  private:
    static bp_binding at(const Port &port)
    {
        bp_binding value = {};

        value.index = port.index();
        return value;
    }
    static const char *name_of(const Port &port)
    {
        return port.is_named() ? port.name().c_str() : nullptr;
    }
    IoBinding &input(const Port &port, const bp_binding &value)
    {
        detail::Call call;

        call.check(bp_io_binding_set_input(handle(), name_of(port), &value, call.err()));
        return *this;
    }
    IoBinding &output(const Port &port, const bp_binding &value)
    {
        detail::Call call;

        call.check(bp_io_binding_set_output(handle(), name_of(port), &value, call.err()));
        return *this;
    }
    const bp_binding *value_of(const Port &port) const
    {
        const bp_binding *value = nullptr;
        detail::Call call;

        call.check(bp_io_binding_output(handle(), name_of(port), port.index(), &value, call.err()));
        return value;
    }
    static void end(void *user, bp_rc rc, const bp_err *err)
    {
        std::unique_ptr<std::promise<void>> promise(static_cast<std::promise<void> *>(user));

        if (rc < 0)
            promise->set_exception(std::make_exception_ptr(detail::error_of(rc, err)));
        else
            promise->set_value();
    }

    std::unique_ptr<Session> session_; /* with what its options keep */
    std::unique_ptr<bp_io_binding, void (*)(bp_io_binding *)> io_;
};

/*
 * What runs of a session leave for the next ones: see bp_state. One call or run at a time.
 *
 *     options.add_state("past_key_*", "present_key_*");
 *     ...
 *     backplane::State state(session);
 *     backplane::RunOptions run;
 *     run.state(state);
 *     while (state.length() < 200)
 *         next = choose(session.run({{"input_ids", next}}, {"logits"}, run));
 */
class State
{
  public:
    /* `batch`: what sizes are that the model leaves open, but for those that grow. */
    explicit State(const Session &session, std::int64_t batch = 1)
        : session_(std::make_unique<Session>(session.share())), state_(nullptr, bp_state_destroy)
    {
        detail::Call call;
        bp_state *raw = nullptr;

        call.check(bp_state_create(session.handle(), batch, &raw, call.err()));
        state_.reset(raw);
    }

    /* Another one with the same values. */
    State copy() const
    {
        detail::Call call;
        bp_state *raw = nullptr;

        call.check(bp_state_copy(handle(), &raw, call.err()));
        return State(session_->share(), raw);
    }
    void reset()
    {
        detail::Call call;

        call.check(bp_state_reset(handle(), call.err()));
    }
    void set(const std::string &input, const TensorView &value)
    {
        bp_tensor raw = {};
        detail::Call call;

        raw.base = const_cast<void *>(value.base());
        raw.bytes = value.bytes();
        raw.dims = const_cast<std::int64_t *>(value.dims().data());
        raw.rank = detail::size32(value.dims().size());
        raw.dtype = value.dtype();
        call.check(bp_state_set(handle(), input.c_str(), &raw, call.err()));
    }
    Tensor get(const std::string &input) const
    {
        bp_tensor raw = {};
        detail::Call call;

        call.check(bp_state_get(handle(), input.c_str(), &raw, call.err()));
        return Tensor::adopt(raw);
    }
    /* Of the first value that grows; 0: none does. */
    std::int64_t length() const
    {
        return bp_state_length(handle());
    }
    void truncate(std::int64_t length)
    {
        detail::Call call;

        call.check(bp_state_truncate(handle(), length, call.err()));
    }
    void reserve(std::int64_t length)
    {
        detail::Call call;

        call.check(bp_state_reserve(handle(), length, call.err()));
    }
    bp_state *handle() const
    {
        if (!state_)
            detail::refuse("an empty State: it was moved from");
        return state_.get();
    }

  private:
    State(Session session, bp_state *raw)
        : session_(std::make_unique<Session>(std::move(session))), state_(raw, bp_state_destroy)
    {
    }

    std::unique_ptr<Session> session_; /* with what its options keep */
    std::unique_ptr<bp_state, void (*)(bp_state *)> state_;
};

inline RunOptions &RunOptions::state(State &state)
{
    raw_.state = state.handle();
    return *this;
}

} // namespace backplane

#ifdef __cpp_lib_span
/* So that std::span takes a Span that a function returns. */
template <typename T>
inline constexpr bool std::ranges::enable_borrowed_range<backplane::Span<T>> = true;
#endif

#endif
