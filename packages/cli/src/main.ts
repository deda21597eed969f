import { CommanderError } from 'commander'
import { dropEmptyHome, makeContext } from './context.ts'
import { CommandFailure, EXIT } from './failure.ts'
import { makeProgram } from './program.ts'
import { setPrivateUmask } from './umask.ts'
import { VERSION } from './version.ts'

setPrivateUmask()
dropEmptyHome()
const argv = process.argv.slice(2)
const context = makeContext(argv)

// A reader such as `head` closed the pipe early, which is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? EXIT.ok : EXIT.failed)
})

let helpText = ''
const keepHelp = (text: string): void => {
  helpText += text
}
const asksNothing = argv.every((word) => word === '--json' || word === '--no-color')

try {
  await makeProgram(context, keepHelp).parseAsync(asksNothing ? [...argv, '--help'] : argv, { from: 'user' })
} catch (error) {
  const failure = explain(error)
  if (!failure && context.output.json) {
    context.output.answer([], { ok: true, ...(isVersion(error) ? { version: VERSION } : { help: helpText }) })
  }
  if (failure) {
    context.output.failed(failure)
    if (process.env.PANOPTES_DEBUG === '1') console.error(error)
    process.exitCode = failure.exit
  }
}

/** Returns nothing for output that commander has already printed: help and the version. */
function explain(error: unknown): CommandFailure | undefined {
  if (error instanceof CommandFailure) return error
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return undefined
    return new CommandFailure(error.message, { code: 'usage', exit: EXIT.usage })
  }
  const message = error instanceof Error ? error.message : String(error)
  const next = 'This is a bug in Panoptes. Run the command again with PANOPTES_DEBUG=1 and report the output.'
  return new CommandFailure(message, { code: 'internal', next })
}

function isVersion(error: unknown): boolean {
  return error instanceof CommanderError && error.code === 'commander.version'
}
