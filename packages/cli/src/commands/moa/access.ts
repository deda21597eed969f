import type { MoaRunInput, MoaRunPart, MoaTurn, PresetsReply, ReplayInput, TurnDiff } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { connect } from '../../daemon/client.ts'
import { ofDaemon } from './of-daemon.ts'
import { withFiles } from './of-files.ts'

export interface TurnWish {
  readonly preset?: string | undefined
  readonly session?: string | undefined
  readonly since?: number | undefined
  readonly until?: number | undefined
  readonly limit: number
  readonly offset: number
}

/** Access to turns and presets: through the running daemon, or in this process if none is running. */
export interface MoaAccess {
  readonly turns: (wish: TurnWish) => Promise<{ readonly total: number; readonly turns: readonly MoaTurn[] }>
  readonly diff: (turn: string, other: string | undefined) => Promise<TurnDiff>
  readonly presets: () => Promise<PresetsReply>
  /** An abort stops every call. */
  readonly run: (input: MoaRunInput, signal: AbortSignal) => Promise<AsyncIterable<MoaRunPart>>
  readonly replay: (input: ReplayInput, signal: AbortSignal) => Promise<AsyncIterable<MoaRunPart>>
}

/** Writing creates the store if it does not exist. */
export async function withMoa<T>(
  context: Context,
  purpose: 'read' | 'write',
  work: (moa: MoaAccess) => Promise<T>,
): Promise<T> {
  const client = await connect(context.paths)
  return client ? work(ofDaemon(client)) : withFiles(context, purpose, work)
}
