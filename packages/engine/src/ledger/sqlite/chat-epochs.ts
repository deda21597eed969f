import type { DatabaseSync } from 'node:sqlite'
import type { Handlers } from '@panoptes/engine/threads'
import type { ChatEpoch, NextSummary, SentMessage } from '../conversations-port.ts'
import { epochBefore, placeOf } from './conversation-window.ts'
import { inTransaction } from './in-transaction.ts'

export interface EpochWrites {
  setEpoch(id: string, epoch: ChatEpoch | null): null
  setNextSummary(id: string, next: NextSummary): null
  setSent(message: string, sent: SentMessage): null
  forgetFact(id: string, told: string): boolean
}

const FORGOTTEN = '\n- (forgotten)\n'

export const epochWrites = (db: () => DatabaseSync): Handlers<EpochWrites> => ({
  setEpoch: (_job, id, epoch) => {
    writeEpoch(db(), id, epoch)
    return null
  },
  setNextSummary: (_job, id, next) =>
    inTransaction(db(), () => {
      const epoch = epochOf(db(), id)
      const to = placeOf(db(), id, next.to)
      if (epoch === null || to === null) return null
      const from = epoch.summarised_to === null ? 0 : (placeOf(db(), id, epoch.summarised_to) ?? 0)
      if (to >= from) writeEpoch(db(), id, { ...epoch, next })
      return null
    }),
  setSent: (_job, message, { context, text }) => {
    db()
      .prepare('UPDATE chat_messages SET sent = ?, preamble = ? WHERE id = ?')
      .run(JSON.stringify(context), text, message)
    return null
  },
  forgetFact: (_job, id, told) =>
    inTransaction(db(), () => {
      const isGone = db().prepare('DELETE FROM facts WHERE id = ?').run(id).changes > 0
      if (isGone && told !== '') unsay(db(), `\n${told}\n`)
      return isGone
    }),
})

/** What a conversation sends again must not tell what was to be forgotten. */
function unsay(db: DatabaseSync, line: string): void {
  const inJson = (text: string) => JSON.stringify(text).slice(1, -1)
  const swap = (table: string, column: string, text: string, instead: string) =>
    db
      .prepare(`UPDATE ${table} SET ${column} = replace(${column}, ?, ?) WHERE instr(${column}, ?) > 0`)
      .run(text, instead, text)
  swap('chat_messages', 'preamble', line, FORGOTTEN)
  swap('chat_messages', 'sent', inJson(line), inJson(FORGOTTEN))
  swap('conversations', 'epoch', inJson(line), inJson(FORGOTTEN))
}

function writeEpoch(db: DatabaseSync, id: string, epoch: ChatEpoch | null): void {
  db.prepare('UPDATE conversations SET epoch = ? WHERE id = ?').run(
    epoch === null ? null : JSON.stringify(epoch),
    id,
  )
}

/** After messages from a number on have gone. */
export function cutEpoch(db: DatabaseSync, id: string): void {
  const row = db.prepare('SELECT epoch FROM conversations WHERE id = ?').get(id)
  if (row?.epoch != null)
    writeEpoch(db, id, epochBefore(db, id, row.epoch as string, Number.MAX_SAFE_INTEGER))
}

/** A fork goes on with what its beginning was told, where that is of messages it has; `named` gives its name of each. */
export function forkEpoch(
  db: DatabaseSync,
  from: { readonly id: string; readonly end: number },
  to: { readonly id: string; readonly named: ReadonlyMap<string, string> },
): void {
  const row = db.prepare('SELECT epoch FROM conversations WHERE id = ?').get(from.id)
  const epoch = epochBefore(db, from.id, row?.epoch as string | null | undefined, from.end)
  if (epoch === null) return
  const { next, summarised_to: last, ...rest } = epoch
  const nameOf = (message: string) => to.named.get(message) ?? message
  writeEpoch(db, to.id, {
    ...rest,
    summarised_to: last === null ? null : nameOf(last),
    ...(next && { next: { ...next, to: nameOf(next.to) } }),
  })
}

function epochOf(db: DatabaseSync, id: string): ChatEpoch | null {
  const row = db.prepare('SELECT epoch FROM conversations WHERE id = ?').get(id)
  return row?.epoch == null ? null : (JSON.parse(String(row.epoch)) as ChatEpoch)
}
