import type { ContentBlock, Message } from '@panoptes/schema'
import { commandOf, commandsIn } from '../ran/command.ts'
import { wasCut } from '../ran/exit-code.ts'
import { didNotRun } from '../ran/judged.ts'
import { printed, wordsOf } from '../ran/printed.ts'
import { ownCopy } from '../ran/quote.ts'
import { failsAlone } from '../ran/test-run.ts'
import { deedOf, spoken } from '../ran/tools.ts'
import { type Digest, type Digesting, digestOf } from './digest.ts'
import type { Target } from './pointer.ts'

/** A call that claims may point to, with what its input and its result say of the numbers that are looked for. */
export interface PointedCall {
  readonly id: string
  readonly tool: string
  readonly agent: string
  readonly n: number
  readonly given: Digest
  /** Whether its failing says something of what it is about: not of what looks for something, or of a line of several commands. */
  readonly isAsked: boolean
  readonly ts: number | null
  result: Result | undefined
}

interface Result {
  readonly ok: boolean | null
  readonly said: Digest
  readonly head: string
  readonly took: readonly number[]
  /** Ended from outside. */
  readonly isCut: boolean
  /** Whether its failing speaks against what is said of it. */
  readonly isTelling: boolean
}

type Called = Extract<ContentBlock, { type: 'tool_call' }>
type Answered = Extract<ContentBlock, { type: 'tool_result' }>

/** Calls that wait for their result; the oldest give way. */
const MOST_WAITING = 10_000
const MOST_HEAD = 400
/** Ids of which only the beginning is told. */
const MOST_CUT = 100
/** Calls of one name whose results are still to come. */
const MOST_UNANSWERED = 64
/** Phrases that are looked for in commands. */
const MOST_PHRASES = 1_000

const keyOf = (...parts: readonly (string | number)[]): string => parts.join('\0')

/** The calls of a session that claims may point to, as they come by. Results are looked into once and not kept. */
export class PointedCalls {
  readonly #digesting: Digesting
  readonly #ids = new Set<string>()
  readonly #cutIds = new Set<string>()
  readonly #tools = new Set<string>()
  readonly #steps = new Set<number>()
  readonly #phrases = new Map<string, Set<string>>()
  readonly #runs = new Map<string, number>()
  readonly #waiting = new Map<string, PointedCall>()
  readonly #found = new Map<string, PointedCall[]>()
  #phraseCount = 0

  constructor(digesting: Digesting) {
    this.#digesting = digesting
  }

  seek(agent: string, target: Target): void {
    if (target.kind === 'call' && !target.isCut) this.#ids.add(target.id)
    if (target.kind === 'call' && target.isCut && this.#cutIds.size < MOST_CUT) this.#cutIds.add(target.id)
    if (target.kind === 'tool') this.#tools.add(keyOf(agent, target.tool))
    if (target.kind === 'step') this.#steps.add(target.n)
    if (target.kind !== 'command' || this.#phraseCount >= MOST_PHRASES) return
    const phrase = target.phrase.toLowerCase()
    const [first = ''] = phrase.split(' ', 1)
    const same = this.#phrases.get(first) ?? new Set()
    this.#phrases.set(first, same)
    same.add(phrase)
    this.#phraseCount += 1
  }

  saw(message: Message, n: number): void {
    for (const block of message.content) {
      if (block.type === 'tool_call') this.#called(block, message, n)
      else if (block.type === 'tool_result') this.#answered(block, message, n)
    }
  }

  /** The calls that a target names, as far as they came by: all of a step, else the newest. */
  at(agent: string, target: Target): readonly PointedCall[] {
    switch (target.kind) {
      case 'call':
        return this.#found.get(keyOf(target.isCut ? 'cut' : 'id', target.id)) ?? []
      case 'tool':
        return this.#answeredAt(keyOf('tool', agent, target.tool))
      case 'step': {
        const all = this.#found.get(keyOf('step', target.n)) ?? []
        return target.tool === undefined ? all : all.filter(({ tool }) => spoken(tool) === target.tool)
      }
      case 'command':
        return this.#answeredAt(keyOf('run', agent, target.phrase.toLowerCase(), target.run ?? 'last'))
      default:
        return []
    }
  }

  /** The newest that has its result by now: nobody speaks of what is not known yet. */
  #answeredAt(place: string): readonly PointedCall[] {
    const newest = this.#found.get(place)?.findLast(({ result }) => result !== undefined)
    return newest === undefined ? [] : [newest]
  }

  #called({ id, tool, input }: Called, { agent_id: agent, ts }: Message, n: number): void {
    const places = this.#placesOf(id, tool, input, agent, n)
    // A step may be that of its result.
    if (places.length === 0 && this.#steps.size === 0) return
    const given = digestOf(places.length === 0 ? '' : wordsOf(input), this.#digesting, false)
    const isAsked = deedOf(tool) !== 'run' || failsAlone(commandOf(input) ?? '')
    const call: PointedCall = { id, tool, agent, n, given, isAsked, ts, result: undefined }
    for (const place of places) this.#put(place, call)
    const key = keyOf(agent, id)
    this.#waiting.delete(key)
    this.#waiting.set(key, call)
    for (const oldest of this.#waiting.keys()) {
      if (this.#waiting.size <= MOST_WAITING) break
      this.#waiting.delete(oldest)
    }
  }

  #answered({ id, ok, text, duration_ms }: Answered, { agent_id: agent, ts }: Message, n: number): void {
    const key = keyOf(agent, id)
    const call = this.#waiting.get(key)
    if (call === undefined) return
    this.#waiting.delete(key)
    const isWanted = this.#steps.has(n) || this.#steps.has(call.n) || this.#isPlaced(call)
    if (!isWanted) return
    const told = printed(text)
    const wall = ts === null || call.ts === null || ts < call.ts ? [] : [ts - call.ts]
    const said = digestOf(told, this.#digesting, deedOf(call.tool) === 'run')
    const isCut = ok === false && wasCut(text)
    call.result = {
      ok,
      said,
      isCut,
      isTelling: call.isAsked && !isCut && !didNotRun(told) && said.tests?.none !== true,
      head: ownCopy(told.slice(0, MOST_HEAD)),
      took: duration_ms === null ? wall : [duration_ms, ...wall],
    }
    if (this.#steps.has(n) && n !== call.n) this.#put(keyOf('step', n), call)
  }

  readonly #placed = new WeakSet<PointedCall>()
  #isPlaced(call: PointedCall): boolean {
    return this.#placed.has(call)
  }

  #put(place: string, call: PointedCall): void {
    this.#placed.add(call)
    const known = this.#found.get(place) ?? []
    if (!place.startsWith('step\0')) {
      const newest = known.findLastIndex(({ result }) => result !== undefined)
      known.splice(0, Math.max(newest, known.length - MOST_UNANSWERED))
    }
    known.push(call)
    this.#found.set(place, known)
  }

  #placesOf(id: string, tool: string, input: unknown, agent: string, n: number): readonly string[] {
    const places: string[] = []
    if (this.#ids.has(id)) places.push(keyOf('id', id))
    for (const cut of this.#cutIds) if (id.startsWith(cut)) places.push(keyOf('cut', cut))
    const name = spoken(tool)
    if (this.#tools.has(keyOf(agent, name))) places.push(keyOf('tool', agent, name))
    if (this.#steps.has(n)) places.push(keyOf('step', n))
    if (this.#phrases.size > 0 && deedOf(tool) === 'run') {
      for (const phrase of this.#phrasesIn(commandOf(input) ?? '')) {
        const run = (this.#runs.get(keyOf(agent, phrase)) ?? 0) + 1
        this.#runs.set(keyOf(agent, phrase), run)
        places.push(keyOf('run', agent, phrase, 'last'), keyOf('run', agent, phrase, run))
      }
    }
    return places
  }

  #phrasesIn(line: string): ReadonlySet<string> {
    const found = new Set<string>()
    for (const words of commandsIn(line)) {
      const told = `${words.join(' ').toLowerCase()} `
      const some = this.#phrases.get(told.slice(0, told.indexOf(' ')))
      for (const phrase of some ?? []) if (told.startsWith(`${phrase} `)) found.add(phrase)
    }
    return found
  }
}
