import { createReadStream } from 'node:fs'

const CHUNK = 262_144
const MOST_KNOWN = 100_000

interface File {
  readonly path: string
  readonly size: number
}

/** Knows which files have certain words somewhere. They only grow: what was looked through once is not looked through again. */
export class Holders {
  readonly #known = new Map<string, { readonly size: number; readonly found: boolean }>()

  /** One that cannot be read has not. */
  async has({ path, size }: File, words: string, signal?: AbortSignal): Promise<boolean> {
    const name = `${words}\n${path}`
    const known = this.#known.get(name)
    if (known?.found || known?.size === size) return known.found
    const from = known !== undefined && known.size < size ? Math.max(0, known.size - words.length) : 0
    const found = await contains(path, words, from, signal)
    if (found === undefined) return false
    if (this.#known.size >= MOST_KNOWN) this.#known.clear()
    this.#known.set(name, { size, found })
    return found
  }
}

/** Nothing where it could not be looked through to its end. */
async function contains(
  path: string,
  words: string,
  start: number,
  signal?: AbortSignal,
): Promise<boolean | undefined> {
  let held: Buffer = Buffer.alloc(0)
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: CHUNK, start })) {
      if (signal?.aborted) return undefined
      const bytes = Buffer.concat([held, chunk as Buffer])
      if (bytes.includes(words)) return true
      held = bytes.subarray(Math.max(0, bytes.length - words.length))
    }
  } catch {
    return undefined
  }
  return false
}
