import { setTimeout } from 'node:timers/promises'
import { findDaemon } from '@panoptes/engine/home'
import { type Ledger, type LedgerPlace, lockLedger, openLedger as open } from '@panoptes/engine/ledger'
import type { Result } from '@panoptes/schema'
import type { Context } from '../context.ts'
import { CommandFailure, orFail } from '../failure.ts'
import { type Client, connect } from './client.ts'
import { isMade, placeOfHome, wayOut } from './place.ts'

/** The running daemon does the work, or, when none runs, this process: with a file to itself, or as one of many in a database. */
export type Access =
  | { readonly kind: 'daemon'; readonly client: Client }
  | { readonly kind: 'file'; readonly ledger: Ledger; readonly place: LedgerPlace }

export async function withLedger<T>(context: Context, work: (access: Access) => Promise<T>): Promise<T> {
  const client = await connect(context.paths)
  if (client) return work({ kind: 'daemon', client })
  const place = await placeOfHome(context)
  if (!isMade(place)) throw noLedger(context)
  const ledger = await openLedger(context, place)
  try {
    return await work({ kind: 'file', ledger, place })
  } finally {
    await ledger.close()
  }
}

export const noLedger = ({ paths }: Context): CommandFailure =>
  new CommandFailure(`There is no ledger yet at ${paths.ledger}`, {
    code: 'not_found',
    next: 'Panoptes makes it when it starts: panoptes up',
  })

const PATIENCE_MS = 5_000
const AGAIN_MS = 100

/** The ledger, made where there is none. A file is for this process alone: another command that has it is waited for. */
export const openLedger = (context: Context, place: LedgerPlace): Promise<Ledger> =>
  patiently(context, () => open(place), wayOut(place))

/** The home for this process alone, where there is no ledger and nothing to write into one. */
export const lockHome = (context: Context): Promise<{ readonly release: () => void }> =>
  patiently(context, () => lockLedger(context.paths.ledger))

async function patiently<T>(
  context: Context,
  open: () => Result<T> | Promise<Result<T>>,
  next?: string,
): Promise<T> {
  const patience = performance.now() + PATIENCE_MS
  for (;;) {
    const opened = await open()
    if (opened.ok || opened.code !== 'locked' || performance.now() > patience)
      return orFail(opened, (await lockedNext(context)) ?? next)
    await setTimeout(AGAIN_MS)
  }
}

async function lockedNext({ paths }: Context): Promise<string | undefined> {
  const daemon = await findDaemon(paths)
  if (daemon.state !== 'silent') return undefined
  return `Process ${daemon.info.pid} runs and does not answer. Look with: panoptes doctor`
}
