import { zeros } from '../metrics.ts'
import { automaton } from './automaton.ts'
import { CLASS_OF, isWordPoint, NEWLINE, NO_WORD, WORD } from './classes.ts'
import { configBegins } from './config-name.ts'
import { COUNTED_NAMES, type CountedName, HITS, LINE_HIT, PATTERNS } from './patterns.ts'

export interface TextFacts {
  /** Messages that tell of an error. */
  readonly errors: number
  readonly counts: Readonly<Record<CountedName, number>>
  readonly skills: number
  readonly success: boolean
  readonly restart: boolean
  readonly tiny: boolean
  readonly portConflict: boolean
  readonly install: boolean
}

const NO_COUNTS: Record<CountedName, number> = zeros(COUNTED_NAMES)
const MACHINE = automaton(PATTERNS, LINE_HIT)
const NEXT = MACHINE.next
const TELLING = MACHINE.telling
const PAIRS = MACHINE.pairs
const ENV = COUNTED_NAMES.indexOf('env_var_error_events')
const DOCKER = COUNTED_NAMES.indexOf('docker_conflict_events')
const CONFIG = COUNTED_NAMES.indexOf('config_events')

/**
 * Reads the texts of one session, message by message, as if they were joined by line breaks. Each is read once; what is
 * kept meanwhile does not grow with it.
 */
export class TextScan {
  #state = MACHINE.start
  /** Where the message at hand begins in the whole text. */
  #base = 0
  #text = ''
  readonly #counts = new Int32Array(COUNTED_NAMES.length)
  /** Where the last match of each ended: a match begins after the one before it. */
  readonly #ends = new Float64Array(COUNTED_NAMES.length)
  #errors = 0
  #skills = 0
  #isError = false
  #success = false
  #restart = false
  #tiny = false
  #portConflict = false
  #install = false
  #gitAt = 0
  #conflictAt = 0
  // Of the line at hand.
  #portSeen = false
  #installerSeen = false
  #env = new Span()
  #docker = new Span()
  #containerSeen = false

  message(text: string): void {
    this.#text = text
    for (let at = walk(text, 0, this.#state); at < text.length; at = walk(text, at + 1, reached)) {
      if (reached >= PAIRS) reached = NEXT[reached - PAIRS + pairAt(text, at)] as number
      if (reached >= TELLING) this.#tell(reached, at)
    }
    const state = NEXT[reached + NEWLINE] as number
    this.#tell(state, text.length)
    this.#state = state
    this.#base += text.length + 1
    if (this.#isError) this.#errors += 1
    this.#isError = false
  }

  facts(): TextFacts {
    const counts = { ...NO_COUNTS }
    for (const [index, name] of COUNTED_NAMES.entries()) counts[name] = this.#counts[index] as number
    return {
      errors: this.#errors,
      counts,
      skills: this.#skills,
      success: this.#success,
      restart: this.#restart,
      tiny: this.#tiny,
      portConflict: this.#portConflict,
      install: this.#install,
    }
  }

  #tell(state: number, at: number): void {
    for (const index of MACHINE.hits[(state - MACHINE.telling) / MACHINE.width] ?? []) {
      const hit = HITS[index]
      if (!hit) continue
      const end = this.#base + at + (hit.late ? 0 : 1)
      if (hit.counts === undefined) this.#see(index, end)
      else if (hit.since === undefined) this.#count(hit.counts, end - hit.length, end)
      else this.#count(hit.counts, hit.since === 'git' ? this.#gitAt : this.#conflictAt, end)
    }
  }

  #count(metric: number, start: number, end: number): void {
    if (start < (this.#ends[metric] as number)) return
    this.#ends[metric] = end
    if (metric === ENV && this.#env.open) this.#env.held += 1
    else if (metric === DOCKER && this.#docker.open) this.#docker.held += 1
    else this.#counts[metric] = (this.#counts[metric] as number) + 1
  }

  #see(index: number, end: number): void {
    const hit = HITS[index]
    switch (hit?.seen) {
      case 'line':
        this.#endLine()
        return
      case 'error':
        this.#isError = true
        return
      case 'success':
        this.#success = true
        return
      case 'restart':
        this.#restart = true
        return
      case 'tiny':
        this.#tiny = true
        return
      case 'skill':
        this.#skills += 1
        return
      case 'port':
        this.#portSeen = true
        return
      case 'taken':
        this.#portConflict ||= this.#portSeen
        return
      case 'inUse':
        this.#portConflict = true
        return
      case 'installer':
        this.#installerSeen = true
        return
      case 'install':
        this.#install ||= this.#installerSeen
        return
      case 'git':
        this.#gitAt = end - hit.length
        return
      case 'conflict':
        this.#conflictAt = end - hit.length
        return
      case 'missing':
        this.#env.open = true
        return
      case 'env':
        if (!this.#env.open) return
        this.#env.close()
        this.#ends[ENV] = end
        return
      case 'docker':
        this.#docker.open = true
        return
      case 'container':
        this.#containerSeen = this.#docker.open
        return
      case 'already':
        if (!this.#containerSeen) return
        this.#docker.close()
        this.#ends[DOCKER] = end
        return
      case 'config': {
        const start = configBegins(
          this.#text,
          end - hit.length - this.#base,
          (this.#ends[CONFIG] as number) - this.#base,
        )
        if (start !== undefined) this.#count(CONFIG, this.#base + start, end)
      }
    }
  }

  #endLine(): void {
    this.#portSeen = false
    this.#installerSeen = false
    this.#containerSeen = false
    this.#addSpan(ENV, this.#env)
    this.#addSpan(DOCKER, this.#docker)
  }

  #addSpan(metric: number, span: Span): void {
    if (!span.open) return
    this.#counts[metric] = (this.#counts[metric] as number) + span.held + Number(span.closed)
    span.reset()
  }
}

/**
 * A match from the first of its words on a line to the last: what else is found inside belongs to it, so it is held back until
 * the line ends.
 */
class Span {
  open = false
  closed = false
  held = 0

  close(): void {
    this.closed = true
    this.held = 0
  }

  reset(): void {
    this.open = false
    this.closed = false
    this.held = 0
  }
}

/** The state that `walk` ended in. */
let reached = 0

/** Goes on to the next character after which there is something to tell or to look at; nothing else is done here, so that it stays fast. */
function walk(text: string, from: number, begin: number): number {
  let state = begin
  let at = from
  for (; at < text.length; at += 1) {
    state = NEXT[state + (CLASS_OF[text.charCodeAt(at)] as number)] as number
    if (state >= TELLING) break
  }
  reached = state
  return at
}

/** What a half of a pair is part of. */
function pairAt(text: string, at: number): number {
  const point = text.codePointAt(at) ?? 0
  if (point > 0xffff || at === 0) return pairClass(point)
  const before = text.codePointAt(at - 1) ?? 0
  return pairClass(before > 0xffff ? before : point)
}

const pairs = new Map<number, number>()
const PAIRS_AT_MOST = 4_096

function pairClass(point: number): number {
  const known = pairs.get(point)
  if (known !== undefined) return known
  const on = isWordPoint(point) ? WORD : NO_WORD
  if (pairs.size >= PAIRS_AT_MOST) pairs.clear()
  pairs.set(point, on)
  return on
}
