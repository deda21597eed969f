import type { DatabaseSync } from 'node:sqlite'
import type { Handlers } from '@panoptes/engine/threads'
import { epochBefore, forkedEpoch, statesBefore, unsaid, withNext } from '../conversations/epochs.ts'
import { epochIn, statesIn } from '../conversations/stored.ts'
import type { ChatEpoch, NextSummary, SentMessage } from '../conversations-port.ts'
import { placeOf } from './conversation-window.ts'
import type { Row } from './conversations.ts'
import { inTransaction } from './in-transaction.ts'

export interface EpochWrites {
  setEpoch(id: string, epoch: ChatEpoch | null): null
  setNextSummary(id: string, next: NextSummary): null
  setSent(message: string, sent: SentMessage): null
  forgetFact(id: string, told: string): boolean
}

export const epochWrites = (db: () => DatabaseSync): Handlers<EpochWrites> => ({
  setEpoch: (_job, id, epoch) => {
    writeEpoch(db(), id, epoch)
    return null
  },
  setNextSummary: (_job, id, next) =>
    inTransaction(db(), () => {
      const epoch = withNext(epochOf(db(), id), next, placeOf(db(), id))
      if (epoch !== null) writeEpoch(db(), id, epoch)
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
      if (isGone && told !== '') unsay(db(), told)
      return isGone
    }),
})

/** What a conversation sends again must not tell what was to be forgotten. */
function unsay(db: DatabaseSync, told: string): void {
  const { line, instead, lineInJson, insteadInJson } = unsaid(told)
  const swap = (table: string, column: string, was: string, is: string) =>
    db
      .prepare(`UPDATE ${table} SET ${column} = replace(${column}, ?, ?) WHERE instr(${column}, ?) > 0`)
      .run(was, is, was)
  swap('chat_messages', 'preamble', line, instead)
  swap('chat_messages', 'sent', lineInJson, insteadInJson)
  swap('conversations', 'epoch', lineInJson, insteadInJson)
}

function writeEpoch(db: DatabaseSync, id: string, epoch: ChatEpoch | null): void {
  db.prepare('UPDATE conversations SET epoch = ? WHERE id = ?').run(
    epoch === null ? null : JSON.stringify(epoch),
    id,
  )
}

/** Leaves what a conversation is up to without the messages from a number on. */
export function cutBefore(db: DatabaseSync, row: Row, end: number): void {
  const id = String(row.id)
  const place = placeOf(db, id)
  writeEpoch(db, id, epochBefore(epochIn(row), place, end))
  const states = statesBefore(statesIn(row), place, end)
  db.prepare('UPDATE conversations SET state = ? WHERE id = ?').run(JSON.stringify(states), id)
}

/** A fork has what its beginning was told, where that is of messages it has. */
export function forkEpoch(
  db: DatabaseSync,
  from: { readonly id: string; readonly end: number },
  to: { readonly id: string; readonly named: ReadonlyMap<string, string> },
): void {
  const epoch = epochBefore(epochOf(db, from.id), placeOf(db, from.id), from.end)
  if (epoch !== null) writeEpoch(db, to.id, forkedEpoch(epoch, to.named))
}

const epochOf = (db: DatabaseSync, id: string): ChatEpoch | null =>
  epochIn(db.prepare('SELECT epoch FROM conversations WHERE id = ?').get(id))
