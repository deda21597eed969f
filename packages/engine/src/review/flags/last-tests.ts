import type { JudgedFamily } from '../ran/judged.ts'
import type { Family } from '../ran/test-run.ts'

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
  #failing = new Map<Family, Failing>()
  /** As it was before the agent put its work aside. */
  #aside: Map<Family, Failing> | undefined

  get failing(): readonly Failing[] {
    return [...this.#failing.values()]
  }

  /** What a project calls its tests may be all of them: it stands for every kind, and every kind for it. */
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

  /** Its work is put aside: what runs until it is taken back is not a run of it. */
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
