import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { CommandFailure, EXIT, type ExitCode } from '../failure.ts'
import type { UpDocument } from './up-document.ts'

const PATIENCE_MS = 90_000
const ENDING_MS = 10_000

interface Refused {
  readonly ok: false
  readonly code: string
  readonly message: string
  readonly next: string | null
}

/** Starts the same command in the background and waits until it is ready or reports why it failed. */
export async function startDetached(
  { paths, env }: Context,
  options: {
    readonly port?: number
    readonly host?: string
    readonly store?: string
    readonly bus?: string
  },
): Promise<UpDocument> {
  const file = join(paths.home, `.up-${process.pid}.json`)
  const [, command = ''] = process.argv
  const args = [command, 'up', '--json', '--no-open']
  if (options.port !== undefined) args.push('--port', String(options.port))
  if (options.host !== undefined) args.push('--host', options.host)
  const answer = await open(file, 'w', 0o600)
  try {
    const child = spawn(process.execPath, args, {
      cwd: paths.home,
      // A relative home would resolve to another folder in the child. Addresses may contain a password, so
      // they go into the environment, which other users cannot read.
      env: {
        ...env,
        PANOPTES_HOME: paths.home,
        ...(options.store === undefined ? {} : { PANOPTES_LEDGER: options.store }),
        ...(options.bus === undefined ? {} : { PANOPTES_BUS: options.bus }),
      },
      detached: true,
      stdio: ['ignore', answer.fd, 'ignore'],
    })
    child.unref()
    const document = await answered(file, () => hasEnded(child))
    if (document?.ok) return document
    // The child prints its failure before it exits, so the exit code may arrive a little later.
    if (document) throw new CommandFailure(document.message, refusal(document, await exitOf(child)))
    throw new CommandFailure('Panoptes did not start in the background', {
      code: 'not_started',
      next: `Check ${paths.log}, or start it without --detach.`,
    })
  } finally {
    await answer.close()
    await rm(file, { force: true })
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null

/** Waits a few seconds for the exit code of the child. */
async function exitOf(child: ChildProcess): Promise<number | null> {
  child.ref()
  const patience = AbortSignal.timeout(ENDING_MS)
  if (!hasEnded(child)) await once(child, 'exit', { signal: patience }).catch(() => undefined)
  child.unref()
  return child.exitCode
}

function refusal({ code, next }: Refused, exitCode: number | null) {
  const exit = Object.values(EXIT).find((known): known is ExitCode => known === exitCode)
  return { code, next: next ?? undefined, exit }
}

async function answered(file: string, ended: () => boolean): Promise<UpDocument | Refused | undefined> {
  const limit = performance.now() + PATIENCE_MS
  while (performance.now() < limit) {
    const over = ended()
    const document = parse(await readFile(file, 'utf8'))
    if (document || over) return document
    await wait(50)
  }
  return undefined
}

function parse(text: string): UpDocument | Refused | undefined {
  try {
    return JSON.parse(text) as UpDocument | Refused
  } catch {
    return undefined
  }
}
