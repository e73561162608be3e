/* SPDX-License-Identifier: MIT */
/* digits.cc - reads handwritten digits in C++; the network and images are those of ../digits. */

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include <backplane.hpp>

namespace
{

constexpr std::size_t pixels = 64; /* of an image */
constexpr std::size_t classes = 10;
constexpr std::size_t batch = 64;
constexpr double least_accuracy = 0.97;

/* The bytes of an array of uint8 in NumPy's format 1.0: a header that states its own length, then they. */
std::vector<std::uint8_t> read_npy(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};

    if (bytes.size() < 10 || std::string(bytes.begin() + 1, bytes.begin() + 6) != "NUMPY")
        throw std::runtime_error(path + ": no array of NumPy");

    std::size_t header = 10u + bytes[8] + 256u * bytes[9];
    if (bytes.size() < header)
        throw std::runtime_error(path + ": ends within its header");
    bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(header));
    return bytes;
}

/* Images that are read right. */
std::size_t count_right(backplane::Session &session, const std::vector<float> &images,
                        const std::vector<std::uint8_t> &labels)
{
    std::array<float, batch *classes> probability = {};
    backplane::OutputView out(probability);
    const backplane::Port input = session.find_input("image");
    const backplane::Port output = session.find_output("probability");
    std::size_t right = 0;

    for (std::size_t i = 0; i < labels.size(); i += batch) {
        const std::size_t n = std::min(batch, labels.size() - i);
        const backplane::Span<const float> some(&images[i * pixels], n * pixels);
        const backplane::TensorView in(some, {static_cast<std::int64_t>(n), 1, 8, 8});
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);

        session.run_into({{input, in}}, {{output, out}},
                         backplane::RunOptions().deadline(deadline));
        const backplane::Span<float> result = out.data<float>();
        for (std::size_t j = 0; j < n; j++) {
            const float *row = &result[j * classes];

            right += std::max_element(row, row + classes) - row == labels[i + j];
        }
    }
    return right;
}

int run(const std::string &dir)
{
    const std::vector<std::uint8_t> ink = read_npy(dir + "/digits_test.npy");
    const std::vector<std::uint8_t> labels = read_npy(dir + "/digits_labels.npy");
    std::vector<float> images(ink.size());

    if (labels.empty() || ink.size() != labels.size() * pixels)
        throw std::runtime_error(dir + ": not one label for each image");
    std::transform(ink.begin(), ink.end(), images.begin(),
                   [](std::uint8_t value) { return static_cast<float>(value) / 16; });

    backplane::Env env;
    backplane::Session session(env, dir + "/digits.onnx");
    const std::size_t right = count_right(session, images, labels);

    std::cout << "right: " << right << " of " << labels.size() << '\n';
    const backplane::ReportView report = session.report();
    for (std::uint32_t i = 0; i < report.node_count(); i++) {
        const bp_report_node node = report.node(i);

        if (node.provider != BP_NONE)
            std::cout << node.name << ": " << report.provider(node.provider).name << '\n';
    }
    return static_cast<double>(right) >= least_accuracy * static_cast<double>(labels.size()) ? 0
                                                                                             : 1;
}

} // namespace

int main(int argc, char **argv)
{
    try {
        if (argc != 2)
            throw std::runtime_error("usage: digits_cpp DIRECTORY, that of digits.onnx");
        return run(argv[1]);
    } catch (const std::exception &error) { /* a backplane::Error, too */
        std::cerr << "digits_cpp: " << error.what() << '\n';
        return 1;
    }
}
