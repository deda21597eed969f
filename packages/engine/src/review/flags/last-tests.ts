import type { Judged } from '../ran/judged.ts'
import type { Family, TestRun } from '../ran/test-run.ts'

/** A run of tests that failed. */
interface Failing {
  /** `tests`, or whose they are. */
  readonly what: string
  readonly failed: number | null
  readonly line: string | null
  readonly call: string
  readonly n: number
}

/** How the last run of each kind of tests went, for one agent. */
export class LastTests {
  readonly #failing = new Map<Family, Failing>()

  get failing(): readonly Failing[] {
    return [...this.#failing.values()]
  }

  /** What a project calls its tests may be all of them: it stands for every kind, and every kind for it. */
  ran({ family }: TestRun, { went, failed, line }: Judged, call: string, n: number): void {
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
