import type { JudgedFamily } from '../tool-calls/test-outcome.ts'
import type { Family } from '../tool-calls/test-run.ts'

/** A failed test run. */
interface Failing {
  /** `tests`, or the framework they belong to. */
  readonly what: string
  readonly failed: number | null
  readonly line: string | null
  readonly call: string
  readonly n: number
}

/** The result of one agent's last run of each kind of tests. */
export class LastTests {
  #failing = new Map<Family, Failing>()
  /** The results before the agent stashed its work. */
  #aside: Map<Family, Failing> | undefined

  get failing(): readonly Failing[] {
    return [...this.#failing.values()]
  }

  /**
   * A project's own test command may run any kind of tests, so it stands for every kind, and every
   * kind for it.
   */
  ran({ family, went, failed, line }: JudgedFamily, call: string, n: number): void {
    if (went === 'unknown') return
    if (went === 'failed') {
      this.#failing.delete(family)
      this.#failing.set(family, { what: `${NAMES[family]} tests`.trimStart(), failed, line, call, n })
      return
    }
    this.#failing.delete(family)
    this.#failing.delete('any')
    if (family === 'any') this.#failing.clear()
  }

  /** Marks the work as stashed; runs until it is restored do not count. */
  putAside(): void {
    this.#aside ??= new Map(this.#failing)
  }

  takeBack(): void {
    if (this.#aside !== undefined) this.#failing = this.#aside
    this.#aside = undefined
  }
}

const NAMES: Readonly<Record<Family, string>> = {
  any: '',
  rust: 'Rust',
  script: 'JavaScript',
  python: 'Python',
  go: 'Go',
  java: 'Java',
  ruby: 'Ruby',
  php: 'PHP',
  dotnet: '.NET',
  swift: 'Swift',
  c: 'C',
  elixir: 'Elixir',
  dart: 'Dart',
  other: '',
}
