import { zeros } from '../metrics.ts'
import { automaton } from './automaton.ts'
import { CLASS_OF, isWordClass, isWordPoint, NEWLINE, NO_WORD, SURROGATE, WORD } from './classes.ts'
import { COUNTED_NAMES, type CountedName, HITS, LINE_HIT, PATTERNS } from './patterns.ts'

export interface TextFacts {
  /** The number of messages that mention an error. */
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
 * Scans the texts of one session, message by message, as if they were joined by line breaks. It reads each text
 * once and uses constant memory.
 */
export class TextScan {
  #state = MACHINE.start
  /** The position of the current message in the whole text. */
  #base = 0
  #text = ''
  readonly #counts = new Int32Array(COUNTED_NAMES.length)
  /** The end of each metric's last match, because matches do not overlap. */
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
  // The following fields describe the current line.
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
 * A match that extends from the first to the last of its words on a line. Other matches inside it belong to it,
 * so they are held back until the line ends.
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

/** Returns the position of the next character that needs attention. The loop does nothing else, so that it stays fast. */
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

/** Returns the class of the surrogate pair that this half belongs to. */
function pairAt(text: string, at: number): number {
  const point = text.codePointAt(at) ?? 0
  if (point > 0xffff || at === 0) return pairClass(point)
  const before = text.codePointAt(at - 1) ?? 0
  return pairClass(before > 0xffff ? before : point)
}

const pairs = new Map<number, number>()
const PAIRS_AT_MOST = 4_096

function pairClass(point: number): number {
  const cached = pairs.get(point)
  if (cached !== undefined) return cached
  const on = isWordPoint(point) ? WORD : NO_WORD
  if (pairs.size >= PAIRS_AT_MOST) pairs.clear()
  pairs.set(point, on)
  return on
}

/** Includes the letters that Python folds to s, k and i, such as the Kelvin sign. */
const IN_NAME = /[a-z0-9_\-\u017f\u212a\u0130\u0131]/i

/**
 * Returns where a name that ends in `config.` begins: at the leftmost word start in the run of letters, digits,
 * `_` and `-` before it, but not before `from`. `config.yaml` and `config.yml` need no such run.
 */
function configBegins(text: string, config: number, from: number): number | undefined {
  let found: number | undefined
  for (let at = config - 1; at >= from && at >= 0 && IN_NAME.test(text.charAt(at)); at -= 1) {
    if (isWordAt(text, at) !== isWordAt(text, at - 1)) found = at
  }
  if (found !== undefined) return found
  const bare = text.startsWith('y', config + 7) || text.startsWith('Y', config + 7)
  return bare && config >= from ? config : undefined
}

function isWordAt(text: string, at: number): boolean {
  if (at < 0) return false
  const on = CLASS_OF[text.charCodeAt(at)] as number
  if (on !== SURROGATE) return isWordClass(on)
  return isWordPoint(text.codePointAt(at - 1) ?? 0) || isWordPoint(text.codePointAt(at) ?? 0)
}
