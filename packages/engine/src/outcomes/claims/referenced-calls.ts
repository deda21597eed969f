import type { ContentBlock, Message } from '@panoptes/schema'
import { commandsIn, commandText } from '../tool-calls/command.ts'
import { flattenInput, readOutput, wasCut } from '../tool-calls/command-output.ts'
import { ownCopy } from '../tool-calls/quote.ts'
import { didNotRun } from '../tool-calls/test-outcome.ts'
import { failsAlone } from '../tool-calls/test-run.ts'
import { classifyTool, normalizeToolName } from '../tool-calls/tools.ts'
import { type Digest, type Digesting, digestText } from './digest.ts'
import type { Target } from './pointer.ts'

/** A call that claims may refer to, with what its input and result say about the wanted numbers. */
export interface PointedCall {
  readonly id: string
  readonly tool: string
  readonly agent: string
  readonly n: number
  readonly inputDigest: Digest
  /**
   * Whether its failure is meaningful. A failing search or a line of several commands says nothing.
   */
  readonly isFailureRelevant: boolean
  readonly ts: number | null
  result: Result | undefined
}

interface Result {
  readonly ok: boolean | null
  readonly outputDigest: Digest
  readonly head: string
  readonly took: readonly number[]
  /** True if it was ended from outside. */
  readonly isCut: boolean
  /** Whether its failure contradicts claims about it. */
  readonly isTelling: boolean
}

type Called = Extract<ContentBlock, { type: 'tool_call' }>
type Answered = Extract<ContentBlock, { type: 'tool_result' }>

/** The maximum number of calls waiting for a result; the oldest are dropped. */
const MOST_WAITING = 10_000
const MOST_HEAD = 400
/** The maximum number of abbreviated ids. */
const MOST_CUT = 100
/** The maximum number of unanswered calls per name. */
const MOST_UNANSWERED = 64
/** The maximum number of phrases searched for in commands. */
const MOST_PHRASES = 1_000

const joinKey = (...parts: readonly (string | number)[]): string => parts.join('\0')

/**
 * The calls of a session that claims may refer to, collected while it is read. Results are examined
 * once and not kept.
 */
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
    if (target.kind === 'tool') this.#tools.add(joinKey(agent, target.tool))
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

  /** Returns the calls so far that a target names: all of a step, otherwise the newest. */
  at(agent: string, target: Target): readonly PointedCall[] {
    switch (target.kind) {
      case 'call':
        return this.#found.get(joinKey(target.isCut ? 'cut' : 'id', target.id)) ?? []
      case 'tool':
        return this.#answeredAt(joinKey('tool', agent, target.tool))
      case 'step': {
        const all = this.#found.get(joinKey('step', target.n)) ?? []
        return target.tool === undefined
          ? all
          : all.filter(({ tool }) => normalizeToolName(tool) === target.tool)
      }
      case 'command':
        return this.#answeredAt(joinKey('run', agent, target.phrase.toLowerCase(), target.run ?? 'last'))
      default:
        return []
    }
  }

  /** Returns the newest call that has a result, because nobody can report an unknown one. */
  #answeredAt(place: string): readonly PointedCall[] {
    const newest = this.#found.get(place)?.findLast(({ result }) => result !== undefined)
    return newest === undefined ? [] : [newest]
  }

  #called({ id, tool, input }: Called, { agent_id: agent, ts }: Message, n: number): void {
    const places = this.#findPlaces(id, tool, input, agent, n)
    // A step may be that of the result.
    if (places.length === 0 && this.#steps.size === 0) return
    const inputDigest = digestText(places.length === 0 ? '' : flattenInput(input), this.#digesting, false)
    const isFailureRelevant = classifyTool(tool) !== 'run' || failsAlone(commandText(input) ?? '')
    const call: PointedCall = { id, tool, agent, n, inputDigest, isFailureRelevant, ts, result: undefined }
    for (const place of places) this.#put(place, call)
    const key = joinKey(agent, id)
    this.#waiting.delete(key)
    this.#waiting.set(key, call)
    for (const oldest of this.#waiting.keys()) {
      if (this.#waiting.size <= MOST_WAITING) break
      this.#waiting.delete(oldest)
    }
  }

  #answered({ id, ok, text, duration_ms }: Answered, { agent_id: agent, ts }: Message, n: number): void {
    const key = joinKey(agent, id)
    const call = this.#waiting.get(key)
    if (call === undefined) return
    this.#waiting.delete(key)
    const isWanted = this.#steps.has(n) || this.#steps.has(call.n) || this.#isPlaced(call)
    if (!isWanted) return
    const output = readOutput(text)
    const wall = ts === null || call.ts === null || ts < call.ts ? [] : [ts - call.ts]
    const outputDigest = digestText(output, this.#digesting, classifyTool(call.tool) === 'run')
    const isCut = ok === false && wasCut(text)
    call.result = {
      ok,
      outputDigest,
      isCut,
      isTelling: call.isFailureRelevant && !isCut && !didNotRun(output) && outputDigest.tests?.none !== true,
      head: ownCopy(output.slice(0, MOST_HEAD)),
      took: duration_ms === null ? wall : [duration_ms, ...wall],
    }
    if (this.#steps.has(n) && n !== call.n) this.#put(joinKey('step', n), call)
  }

  readonly #placed = new WeakSet<PointedCall>()
  #isPlaced(call: PointedCall): boolean {
    return this.#placed.has(call)
  }

  #put(place: string, call: PointedCall): void {
    this.#placed.add(call)
    const calls = this.#found.get(place) ?? []
    if (!place.startsWith('step\0')) {
      const newest = calls.findLastIndex(({ result }) => result !== undefined)
      calls.splice(0, Math.max(newest, calls.length - MOST_UNANSWERED))
    }
    calls.push(call)
    this.#found.set(place, calls)
  }

  #findPlaces(id: string, tool: string, input: unknown, agent: string, n: number): readonly string[] {
    const places: string[] = []
    if (this.#ids.has(id)) places.push(joinKey('id', id))
    for (const cut of this.#cutIds) if (id.startsWith(cut)) places.push(joinKey('cut', cut))
    const name = normalizeToolName(tool)
    if (this.#tools.has(joinKey(agent, name))) places.push(joinKey('tool', agent, name))
    if (this.#steps.has(n)) places.push(joinKey('step', n))
    if (this.#phrases.size > 0 && classifyTool(tool) === 'run') {
      for (const phrase of this.#phrasesIn(commandText(input) ?? '')) {
        const run = (this.#runs.get(joinKey(agent, phrase)) ?? 0) + 1
        this.#runs.set(joinKey(agent, phrase), run)
        places.push(joinKey('run', agent, phrase, 'last'), joinKey('run', agent, phrase, run))
      }
    }
    return places
  }

  #phrasesIn(line: string): ReadonlySet<string> {
    const found = new Set<string>()
    for (const words of commandsIn(line)) {
      const command = `${words.join(' ').toLowerCase()} `
      const some = this.#phrases.get(command.slice(0, command.indexOf(' ')))
      for (const phrase of some ?? []) if (command.startsWith(`${phrase} `)) found.add(phrase)
    }
    return found
  }
}
