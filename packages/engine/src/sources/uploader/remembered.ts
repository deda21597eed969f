/** A telling, and its records by their hashes. */
export interface Told {
  readonly telling: string
  readonly hashes: string[]
}

/** Shorter ones are as well told whole. */
const FEWEST = 100
/** Of all that is remembered: about 7 MB. */
const MOST = 100_000

/** What was told of which session last. Whoever was told longest ago is forgotten first. */
export class Remembered {
  readonly #told = new Map<string, Told>()
  #held = 0

  get(key: string): Told | undefined {
    return this.#told.get(key)
  }

  set(key: string, told: Told): void {
    this.delete(key)
    if (told.hashes.length < FEWEST || told.hashes.length > MOST) return
    this.#told.set(key, told)
    this.#held += told.hashes.length
    for (const oldest of this.#told.keys()) {
      if (this.#held <= MOST) return
      this.delete(oldest)
    }
  }

  /** Whether it was there. */
  delete(key: string): boolean {
    this.#held -= this.#told.get(key)?.hashes.length ?? 0
    return this.#told.delete(key)
  }
}

/** Finds records again among those of another telling, each one after the one before it. */
export class Again {
  readonly #hashes: readonly string[]
  readonly #first = new Map<string, number>()
  #next = 0

  constructor(hashes: readonly string[]) {
    this.#hashes = hashes
    for (const [at, hash] of hashes.entries()) if (!this.#first.has(hash)) this.#first.set(hash, at)
  }

  /** Where it was. */
  find(hash: string): number | undefined {
    const at = this.#hashes[this.#next] === hash ? this.#next : this.#first.get(hash)
    if (at === undefined || at < this.#next) return undefined
    this.#next = at + 1
    return at
  }
}
