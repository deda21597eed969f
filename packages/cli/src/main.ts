import { CommanderError } from 'commander'
import { makeContext } from './context.ts'
import { dropEmptyHome } from './empty-home.ts'
import { EXIT } from './exit-codes.ts'
import { CommandFailure } from './failure.ts'
import { makeProgram } from './program.ts'
import { writeForOneself } from './umask.ts'
import { VERSION } from './version.ts'

writeForOneself()
dropEmptyHome()
const argv = process.argv.slice(2)
const context = makeContext(argv)

// Somebody read enough of a pipe ("panoptes export - | head"): that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? EXIT.ok : EXIT.failed)
})

let kept = ''
const keep = (text: string): void => {
  kept += text
}
const asksNothing = argv.every((word) => word === '--json' || word === '--no-color')

try {
  await makeProgram(context, keep).parseAsync(asksNothing ? [...argv, '--help'] : argv, { from: 'user' })
} catch (error) {
  const failure = explain(error)
  if (!failure && context.output.json) {
    context.output.answer([], { ok: true, ...(isVersion(error) ? { version: VERSION } : { help: kept }) })
  }
  if (failure) {
    context.output.failed(failure)
    if (process.env.PANOPTES_DEBUG === '1') console.error(error)
    process.exitCode = failure.exit
  }
}

/** Nothing for what commander has shown already: help and the version. */
function explain(error: unknown): CommandFailure | undefined {
  if (error instanceof CommandFailure) return error
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return undefined
    return new CommandFailure(error.message, { code: 'usage', exit: EXIT.usage })
  }
  const message = error instanceof Error ? error.message : String(error)
  const next = 'This is a mistake in Panoptes. Run it again with PANOPTES_DEBUG=1 and report what it prints.'
  return new CommandFailure(message, { code: 'internal', next })
}

function isVersion(error: unknown): boolean {
  return error instanceof CommanderError && error.code === 'commander.version'
}
