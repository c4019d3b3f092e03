import CandleNet

// usage: candled-echo PORT
// For tests only: no part of the product.
var configuration = NetConfiguration()
configuration.port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 9002
configuration.maxMessage = 32 << 20
configuration.maxConnectionsPerAddress = 1_000
let loop = try EventLoop(configuration)
print("echo on 127.0.0.1:\(loop.boundPort)")
loop.run(handler: Echo(loop))
