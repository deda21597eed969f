import type { Session, SessionAgent } from '@panoptes/schema'
import { sessionKey } from '../changes.ts'
import { encodeRoles, PACK, type PackedMessage, packMessages } from '../packed-messages.ts'
import type { FoldRow, IndexChange, IndexedMessage } from '../port.ts'
import { indexText } from '../query-parser.ts'
import { MOST_MESSAGES } from '../schema.ts'
import { summarizeSession } from '../session-summary.ts'
import { Gathered } from '../session-totals.ts'
import type { State, StoredSession } from './state.ts'
import { GatheredWords } from './word-collector.ts'

type Ended = ReturnType<typeof summarizeSession>

/** A session as it will be written. */
export interface SessionRow {
  readonly stored: StoredSession
  readonly source: string
  readonly id: string
  readonly place: string
  readonly gathered: Gathered
  readonly agents: Map<string, SessionAgent>
  /** Messages since the last write. */
  packs: { readonly first: number; readonly roles: string; readonly doc: string }[]
  pack: PackedMessage[]
  ended?: (Ended & { readonly session: Session }) | undefined
  /** This is true when a begun version of it is already in the tables. */
  isStored: boolean
}

/** Collects changes that are not written yet. */
export class Pending {
  readonly #state: State
  readonly #open: Map<string, SessionRow>
  readonly rows = new Map<number, SessionRow>()
  /** Numbers of sessions in the tables that will be deleted. */
  readonly dead: number[] = []
  readonly notAged = new Map<string, readonly [source: string, id: string]>()
  readonly words = new Map<number, GatheredWords>()
  /** Results of folds by session. */
  readonly folds = new Map<
    string,
    { readonly source: string; readonly id: string; readonly rows: readonly FoldRow[] }
  >()

  constructor(state: State, open: Map<string, SessionRow>) {
    this.#state = state
    this.#open = open
  }

  write(changes: readonly IndexChange[]): void {
    for (const change of changes) this.#one(change)
  }

  #one(change: IndexChange): void {
    switch (change.type) {
      case 'begin':
        this.#leave(change.source, change.id)
        this.#start(change.source, change.id, change.place)
        return
      case 'agent':
        this.#of(change).agents.set(change.agent.id, change.agent)
        return
      case 'messages':
        this.#add(this.#of(change), change.messages)
        return
      case 'end':
        this.#close(this.#of(change.session), change.session)
        this.#fold(change.session, change.folds ?? [])
        this.#open.delete(sessionKey(change.session.source, change.session.id))
        return
      case 'chunk':
      case 'gone':
        throw new Error('a shared index has no archive')
      case 'leave':
        this.#leave(change.source, change.id)
        return
      case 'drop':
        this.#leave(change.source, change.id)
        this.#dropComplete(change.source, change.id)
    }
  }

  #start(source: string, id: string, place: string): void {
    const part = this.#state.parts.next()
    this.#state.last += 1
    const stored = { number: this.#state.last, part, worded: 0 }
    const name = sessionKey(source, id)
    this.#state.named.set(name, { ...this.#state.named.get(name), begun: stored })
    this.#state.live.add(stored.number)
    const row: SessionRow = {
      ...{ stored, source, id, place, gathered: new Gathered(), agents: new Map() },
      ...{ packs: [], pack: [], isStored: false },
    }
    this.#open.set(name, row)
    this.rows.set(stored.number, row)
  }

  #of({ source, id }: { readonly source: string; readonly id: string }): SessionRow {
    const open = this.#open.get(sessionKey(source, id))
    if (open === undefined) throw new Error(`the session ${source} ${id} was not begun`)
    this.rows.set(open.stored.number, open)
    return open
  }

  #add(row: SessionRow, messages: readonly IndexedMessage[]): void {
    const { stored, gathered } = row
    for (const message of messages) {
      // In a session with more messages than there are numbers, the rest cannot be searched.
      if (gathered.messages < MOST_MESSAGES) {
        this.#word(stored, gathered.messages, message)
        row.pack.push(message)
      }
      gathered.add(message)
      if (row.pack.length === PACK) pack(row)
    }
  }

  #word(session: StoredSession, place: number, { text, tools }: IndexedMessage): void {
    const indexed = typeof text === 'string' ? indexText(text) : Buffer.from(text).toString()
    if (indexed.length === 0 && tools.length === 0) return
    const words = this.words.get(session.part) ?? new GatheredWords()
    this.words.set(session.part, words)
    const tokens = words.add(session.number * MOST_MESSAGES + place, indexed, tools.join(' '))
    session.worded += 1
    this.#state.parts.add(session.part, tokens)
  }

  #close(row: SessionRow, session: Session): void {
    pack(row)
    // The previous version of the session is shown until here.
    this.#dropComplete(session.source, session.id)
    row.ended = { ...summarizeSession(session, row.gathered), session }
    this.#state.named.set(sessionKey(session.source, session.id), { complete: row.stored })
    this.#state.parts.ended(row.stored.part, session.last_at)
  }

  #fold({ source, id }: Session, rows: readonly FoldRow[]): void {
    if (rows.length > 0) this.folds.set(sessionKey(source, id), { source, id, rows })
  }

  #leave(source: string, id: string): void {
    const name = sessionKey(source, id)
    this.#open.delete(name)
    const own = this.#state.named.get(name)
    if (own?.begun === undefined) return
    this.#state.named.set(name, { complete: own.complete })
    this.#drop(own.begun)
  }

  #dropComplete(source: string, id: string): void {
    const name = sessionKey(source, id)
    this.notAged.set(name, [source, id])
    const own = this.#state.named.get(name)
    if (own?.complete === undefined) return
    this.#state.named.set(name, { begun: own.begun })
    this.#drop(own.complete)
  }

  #drop({ number, part, worded }: StoredSession): void {
    this.#state.live.delete(number)
    const row = this.rows.get(number)
    this.rows.delete(number)
    if (row === undefined || row.isStored) this.dead.push(number)
    if (this.#state.parts.drop(part, worded)) this.words.delete(part)
  }
}

function pack(row: SessionRow): void {
  if (row.pack.length === 0) return
  const first = Math.min(row.gathered.messages, MOST_MESSAGES) - row.pack.length
  row.packs.push({ first, roles: encodeRoles(row.pack), doc: packMessages(row.pack) })
  row.pack = []
}
