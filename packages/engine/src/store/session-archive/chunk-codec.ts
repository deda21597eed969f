import { hash } from 'node:crypto'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { ContentBlock, Message, UnreadPart } from '@panoptes/schema'
import type { ArchiveChunk, ArchivedImage, ArchiveRecord } from './port.ts'

/**
 * A chunk ends after this many characters. Larger chunks compress better, and smaller ones make a single
 * message cheaper to read.
 */
const MOST_CHARS = 131_072
/** A message with at least this much image data keeps it apart. */
const LEAST_IMAGE = 1_024

/** An image whose data is stored apart. */
const IMAGE = 'archive-image:'

const digest = (text: string): string => hash('sha1', text, 'base64url')

/**
 * Divides the messages of a session into chunks. The same messages always give the same chunks, so a session
 * that grew differs from its previous version only at the end.
 */
export class ChunkBuilder {
  readonly #stored: ReadonlyMap<number, string>
  #entries: string[] = []
  #images: ArchivedImage[] = []
  #chars = 0
  #first = 0
  #count = 0

  constructor(stored: ReadonlyMap<number, string> = new Map()) {
    this.#stored = stored
  }

  /** Returns the chunk that this message completes. */
  add(message: Message): ArchiveChunk | undefined {
    this.#push(JSON.stringify({ ...message, content: message.content.map((block) => this.#apart(block)) }))
    this.#count += 1
    return this.#chars >= MOST_CHARS ? this.#take() : undefined
  }

  skip(part: UnreadPart): void {
    this.#push(JSON.stringify({ skipped: part }))
  }

  /** Returns the last chunk. */
  end(): ArchiveChunk | undefined {
    return this.#entries.length === 0 ? undefined : this.#take()
  }

  #push(entry: string): void {
    this.#entries.push(entry)
    this.#chars += entry.length
  }

  #apart(block: ContentBlock): ContentBlock {
    if (block.type !== 'image' || block.data === null || block.data.length < LEAST_IMAGE) return block
    const image = { hash: digest(block.data), data: block.data }
    this.#images.push(image)
    return { ...block, data: IMAGE + image.hash }
  }

  #take(): ArchiveChunk {
    const text = `[${this.#entries.join(',\n')}]`
    const [first, count, images, own] = [this.#first, this.#count, this.#images, digest(text)]
    const isStored = this.#stored.get(first) === own
    this.#entries = []
    this.#images = []
    this.#chars = 0
    this.#first += count
    this.#count = 0
    return {
      ...{ first, count, hash: own, images: isStored ? [] : images },
      data: isStored ? undefined : zstdCompressSync(text),
    }
  }
}

/** Reads the records of a chunk. `image` finds image data by its hash. */
export function decodeChunk(
  { first, data }: { readonly first: number; readonly data: Uint8Array },
  image: (hash: string) => string | null,
): readonly ArchiveRecord[] {
  const entries = JSON.parse(zstdDecompressSync(data).toString()) as readonly (
    | Message
    | { readonly skipped: UnreadPart }
  )[]
  let n = first
  return entries.map((entry) => {
    if ('skipped' in entry && !('role' in entry)) return entry as { readonly skipped: UnreadPart }
    const message = entry as Message
    const record = {
      n,
      message: { ...message, content: message.content.map((block) => whole(block, image)) },
    }
    n += 1
    return record
  })
}

function whole(block: ContentBlock, image: (hash: string) => string | null): ContentBlock {
  if (block.type !== 'image' || !block.data?.startsWith(IMAGE)) return block
  return { ...block, data: image(block.data.slice(IMAGE.length)) }
}
