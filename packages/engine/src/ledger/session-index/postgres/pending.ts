import type { Session, SessionAgent } from '@panoptes/schema'
import { nameOf } from '../changes.ts'
import { endedSession } from '../ended.ts'
import { Gathered } from '../gathered.ts'
import { PACK, type PackedMessage, packed, rolesOf } from '../packed.ts'
import type { IndexChange, IndexedMessage } from '../port.ts'
import { MOST_MESSAGES } from '../schema.ts'
import { indexText } from '../words.ts'
import { GatheredWords } from './gathered-words.ts'
import type { Kept, State } from './state.ts'

type Ended = ReturnType<typeof endedSession>

/** A session as it is to be written. */
export interface SessionRow {
  readonly kept: Kept
  readonly source: string
  readonly id: string
  readonly place: string
  readonly gathered: Gathered
  readonly agents: Map<string, SessionAgent>
  /** Since it was last written. */
  packs: { readonly first: number; readonly roles: string; readonly doc: string }[]
  pack: PackedMessage[]
  ended?: (Ended & { readonly session: Session }) | undefined
  /** Whether it is in the tables already, begun. */
  isStored: boolean
}

/** Changes that were told and are not written yet. */
export class Pending {
  readonly #state: State
  readonly #open: Map<string, SessionRow>
  readonly rows = new Map<number, SessionRow>()
  /** Numbers of sessions that are in the tables and are to go. */
  readonly dead: number[] = []
  readonly notAged = new Map<string, readonly [source: string, id: string]>()
  readonly words = new Map<number, GatheredWords>()

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
        this.#open.delete(nameOf(change.session.source, change.session.id))
        return
      case 'leave':
        this.#leave(change.source, change.id)
        return
      case 'drop':
        this.#leave(change.source, change.id)
        this.#dropKnown(change.source, change.id)
    }
  }

  #start(source: string, id: string, place: string): void {
    const part = this.#state.parts.next()
    this.#state.last += 1
    const kept = { number: this.#state.last, part, worded: 0 }
    const name = nameOf(source, id)
    this.#state.named.set(name, { ...this.#state.named.get(name), begun: kept })
    this.#state.live.add(kept.number)
    const row: SessionRow = {
      ...{ kept, source, id, place, gathered: new Gathered(), agents: new Map() },
      ...{ packs: [], pack: [], isStored: false },
    }
    this.#open.set(name, row)
    this.rows.set(kept.number, row)
  }

  #of({ source, id }: { readonly source: string; readonly id: string }): SessionRow {
    const open = this.#open.get(nameOf(source, id))
    if (open === undefined) throw new Error(`the session ${source} ${id} was not begun`)
    this.rows.set(open.kept.number, open)
    return open
  }

  #add(row: SessionRow, messages: readonly IndexedMessage[]): void {
    const { kept, gathered } = row
    for (const message of messages) {
      // A session of more messages than there are numbers is not known by the rest.
      if (gathered.messages < MOST_MESSAGES) {
        this.#word(kept, gathered.messages, message)
        row.pack.push(message)
      }
      gathered.add(message)
      if (row.pack.length === PACK) pack(row)
    }
  }

  #word(kept: Kept, place: number, { text, tools }: IndexedMessage): void {
    const said = typeof text === 'string' ? indexText(text) : Buffer.from(text).toString()
    if (said.length === 0 && tools.length === 0) return
    const words = this.words.get(kept.part) ?? new GatheredWords()
    this.words.set(kept.part, words)
    const tokens = words.add(kept.number * MOST_MESSAGES + place, said, tools.join(' '))
    kept.worded += 1
    this.#state.parts.add(kept.part, tokens)
  }

  #close(row: SessionRow, session: Session): void {
    pack(row)
    // What was known of it is shown until here.
    this.#dropKnown(session.source, session.id)
    row.ended = { ...endedSession(session, row.gathered), session }
    this.#state.named.set(nameOf(session.source, session.id), { known: row.kept })
    this.#state.parts.ended(row.kept.part, session.last_at)
  }

  #leave(source: string, id: string): void {
    const name = nameOf(source, id)
    this.#open.delete(name)
    const own = this.#state.named.get(name)
    if (own?.begun === undefined) return
    this.#state.named.set(name, { known: own.known })
    this.#drop(own.begun)
  }

  #dropKnown(source: string, id: string): void {
    const name = nameOf(source, id)
    this.notAged.set(name, [source, id])
    const own = this.#state.named.get(name)
    if (own?.known === undefined) return
    this.#state.named.set(name, { begun: own.begun })
    this.#drop(own.known)
  }

  #drop({ number, part, worded }: Kept): void {
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
  row.packs.push({ first, roles: rolesOf(row.pack), doc: packed(row.pack) })
  row.pack = []
}
