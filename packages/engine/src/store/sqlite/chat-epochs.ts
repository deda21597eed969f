import type { DatabaseSync } from 'node:sqlite'
import type { Handlers } from '@panoptes/engine/worker-rpc'
import { epochBefore, forkedEpoch, statesBefore, unsaid, withNext } from '../conversations/epochs.ts'
import { epochIn, statesIn } from '../conversations/row-parsing.ts'
import type { ChatEpoch, NextSummary, SentMessage } from '../conversations-port.ts'
import { placeFinder } from './conversation-window.ts'
import type { Row } from './conversations.ts'
import { inTransaction } from './in-transaction.ts'

export interface EpochWrites {
  setEpoch(id: string, epoch: ChatEpoch | null): null
  setNextSummary(id: string, next: NextSummary): null
  setSent(message: string, sent: SentMessage): null
  forgetFact(id: string, text: string): boolean
}

export const epochWrites = (db: () => DatabaseSync): Handlers<EpochWrites> => ({
  setEpoch: (_job, id, epoch) => {
    writeEpoch(db(), id, epoch)
    return null
  },
  setNextSummary: (_job, id, next) =>
    inTransaction(db(), () => {
      const epoch = withNext(readEpoch(db(), id), next, placeFinder(db(), id))
      if (epoch !== null) writeEpoch(db(), id, epoch)
      return null
    }),
  setSent: (_job, message, { context, text }) => {
    db()
      .prepare('UPDATE chat_messages SET sent = ?, preamble = ? WHERE id = ?')
      .run(JSON.stringify(context), text, message)
    return null
  },
  forgetFact: (_job, id, text) =>
    inTransaction(db(), () => {
      const isGone = db().prepare('DELETE FROM facts WHERE id = ?').run(id).changes > 0
      if (isGone && text !== '') unsay(db(), text)
      return isGone
    }),
})

/** Removes a fact from the context that conversations send again. */
function unsay(db: DatabaseSync, text: string): void {
  const { line, instead, lineInJson, insteadInJson } = unsaid(text)
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

/** Stores the state of a conversation without the messages from a number on. */
export function cutBefore(db: DatabaseSync, row: Row, end: number): void {
  const id = String(row.id)
  const place = placeFinder(db, id)
  writeEpoch(db, id, epochBefore(epochIn(row), place, end))
  const states = statesBefore(statesIn(row), place, end)
  db.prepare('UPDATE conversations SET state = ? WHERE id = ?').run(JSON.stringify(states), id)
}

/** Copies the context of the conversation's beginning to a fork, as far as it covers messages of the fork. */
export function forkEpoch(
  db: DatabaseSync,
  from: { readonly id: string; readonly end: number },
  to: { readonly id: string; readonly named: ReadonlyMap<string, string> },
): void {
  const epoch = epochBefore(readEpoch(db, from.id), placeFinder(db, from.id), from.end)
  if (epoch !== null) writeEpoch(db, to.id, forkedEpoch(epoch, to.named))
}

const readEpoch = (db: DatabaseSync, id: string): ChatEpoch | null =>
  epochIn(db.prepare('SELECT epoch FROM conversations WHERE id = ?').get(id))
