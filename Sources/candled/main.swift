import CandleConfiguration
import Foundation

let code: ExitCode
switch Invocation.parse(Array(CommandLine.arguments.dropFirst())) {
case .failure(let error):
  Console.error("\(error)")
  code = .usage
case .success(let invocation):
  if let help = invocation.help {
    print(help)
    code = .ok
  } else {
    code = Program.run(invocation)
  }
}
exit(code.rawValue)
