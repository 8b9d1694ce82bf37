import { run } from './cli/run'

run(process.argv.slice(2), process.env).then((code) => process.exit(code))
