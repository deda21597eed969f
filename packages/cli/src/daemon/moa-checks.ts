import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { checkCreatable, type Paths } from '@panoptes/engine/home'
import {
  createFileTraces,
  createStoreTraces,
  type TraceStore,
  type Traces,
  traceFolder,
} from '@panoptes/engine/moa'
import type { EventStore } from '@panoptes/engine/store'
import type { Config, HealthCheck } from '@panoptes/schema'
import { count, plural } from '../terminal/format.ts'

const TRACES = { id: 'moa-traces', title: 'MoA traces' }
const MB = 1_048_576
const NEXT = 'Free some space there, make it writable, or set moa.trace_dir to another folder.'

interface Home {
  readonly paths: Paths
  readonly env: NodeJS.ProcessEnv
  readonly config: Config
}

/** The folder for traces of a home. */
export const tracesIn = ({ paths, env, config }: Home): string =>
  traceFolder(config.moa.trace_dir, join(paths.home, 'moa-traces'), env)

/** Opens the traces: in the store if hubs share it, otherwise in files. */
export function tracesOf(home: Home, lines: EventStore['traces']): TraceStore {
  const { trace_max_mb: most, trace_dir_max_mb: mostOfAll } = home.config.moa
  // Each session has up to two trace files.
  if (lines !== null) return createStoreTraces(lines, { ofSession: 2 * most * MB, ofAll: mostOfAll * MB })
  return createFileTraces({ folder: tracesIn(home), maxBytes: most * MB, maxFolderBytes: mostOfAll * MB })
}

export interface CheckedTraces {
  readonly kept: Pick<TraceStore, 'folder' | 'bytes'>
  /** The maximum size of all traces in megabytes. */
  readonly maxMb: number
  readonly traces?: Pick<Traces, 'problem' | 'lost' | 'removed'> | undefined
}

/** Reports problems with saving traces: those that occurred, or those that would occur. */
export async function traceCheck({ kept, maxMb, traces }: CheckedTraces): Promise<HealthCheck> {
  const { folder } = kept
  const where = folder ?? 'the store'
  const lost = traces?.lost() ?? 0
  const bytes = await kept.bytes()
  const cause =
    traces?.problem() ??
    (folder === null ? null : await unwritable(folder)) ??
    (bytes.ok ? null : bytes.message)
  if (cause === null && bytes.ok) {
    const removed = traces?.removed() ?? 0
    const held = `${count(Math.ceil(bytes.value / MB))} of at most ${count(maxMb)} MB`
    const gone =
      removed === 0
        ? ''
        : `, ${plural(removed, folder === null ? 'old line' : 'old file')} removed to make room`
    return { ...TRACES, state: 'ok', detail: `Written to ${where}, ${held}${gone}`, cause: null, next: null }
  }
  const detail =
    lost > 0
      ? `${plural(lost, 'line')} could not be written to ${where}`
      : `Turns cannot be written to ${where}`
  return { ...TRACES, state: 'warning', detail, cause, next: folder === null ? null : NEXT }
}

async function unwritable(folder: string): Promise<string | null> {
  const found = await stat(folder).catch(() => undefined)
  if (found === undefined) {
    const made = await checkCreatable(folder)
    return made.ok ? null : made.message
  }
  if (!found.isDirectory()) return 'It is not a folder.'
  return access(folder, constants.W_OK | constants.X_OK).then(
    () => null,
    (error: Error) => error.message,
  )
}

/** Reports a problem with the presets of Hermes. */
export const hermesCheck = (problem: string): HealthCheck => ({
  id: 'moa-hermes',
  title: 'Hermes presets',
  state: 'warning',
  detail: problem,
  cause: null,
  next: 'Fix it in the config.yaml of Hermes, or set moa.from_hermes to false.',
})
