import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { mayMake, type Paths } from '@panoptes/engine/home'
import { type Traces, tracedBytes, traceFolder } from '@panoptes/engine/moa'
import type { Config, HealthCheck } from '@panoptes/schema'
import { count, counted } from '../terminal/words.ts'

const TRACES = { id: 'moa-traces', title: 'Traces of turns' }
const MB = 1_048_576
const NEXT = 'Make room there or make it writable, or set moa.trace_dir to another folder.'

interface Home {
  readonly paths: Paths
  readonly env: NodeJS.ProcessEnv
  readonly config: Config
}

/** Where turns of a home are written down. */
export const tracesIn = ({ paths, env, config }: Home): string =>
  traceFolder(config.moa.trace_dir, join(paths.home, 'moa-traces'), env)

export interface CheckedTraces {
  readonly folder: string
  /** What may be in it, in megabytes. */
  readonly maxMb: number
  readonly traces?: Pick<Traces, 'problem' | 'lost' | 'removed'> | undefined
}

/** Whether turns are written down as they should be: what went wrong so far, else whether it could go wrong. */
export async function traceCheck({ folder, maxMb, traces }: CheckedTraces): Promise<HealthCheck> {
  const problem = traces?.problem() ?? null
  const lost = traces?.lost() ?? 0
  const cause = problem ?? (await unwritable(folder))
  if (cause === null) {
    const removed = traces?.removed() ?? 0
    const held = `${count(Math.ceil((await tracedBytes(folder)) / MB))} of at most ${count(maxMb)} MB`
    const gone = removed === 0 ? '' : `, ${counted(removed, 'old file')} went for that`
    return { ...TRACES, state: 'ok', detail: `Written to ${folder}, ${held}${gone}`, cause: null, next: null }
  }
  const detail =
    lost > 0
      ? `${counted(lost, 'line')} could not be written to ${folder}`
      : `Turns cannot be written to ${folder}`
  return { ...TRACES, state: 'warning', detail, cause, next: NEXT }
}

async function unwritable(folder: string): Promise<string | null> {
  const found = await stat(folder).catch(() => undefined)
  if (found === undefined) {
    const made = await mayMake(folder)
    return made.ok ? null : made.message
  }
  if (!found.isDirectory()) return 'It is no folder.'
  return access(folder, constants.W_OK | constants.X_OK).then(
    () => null,
    (error: Error) => error.message,
  )
}

/** What is wrong with the presets of Hermes. */
export const hermesCheck = (problem: string): HealthCheck => ({
  id: 'moa-hermes',
  title: 'Presets of Hermes',
  state: 'warning',
  detail: problem,
  cause: null,
  next: 'Correct it in the config.yaml of Hermes, or set moa.from_hermes to false.',
})
