import type { ChatFile, FileInput } from '@panoptes/schema'
import * as f from '../../format.ts'
import { oneLine } from '../../sessions/plain.ts'
import { words } from '../../words.ts'

const w = words.chat.composer

/** As many as a message may have, and as large as the server takes them once they are written in letters. */
export const MOST_FILES = 20
export const MOST_BYTES = 8 * 1_048_576
const MOST_TOGETHER = 20 * 1_048_576

export interface DraftFile extends ChatFile {
  readonly input: Pick<FileInput, 'text' | 'data'>
}

export interface ReadFiles {
  readonly files: readonly DraftFile[]
  /** Why some were not taken, in words. */
  readonly problems: readonly string[]
}

/** Files as they go with a message: texts as text, everything else byte by byte. */
export async function readFiles(chosen: readonly File[], already: readonly DraftFile[]): Promise<ReadFiles> {
  const files: DraftFile[] = []
  const problems: string[] = []
  let together = already.reduce((sum, { bytes }) => sum + bytes, 0)
  for (const file of chosen) {
    const name = oneLine(file.name || w.unnamed, 255)
    if (already.length + files.length >= MOST_FILES) {
      problems.push(w.tooMany(MOST_FILES))
      break
    }
    const problem = problemOf(name, file.size, together)
    if (problem !== null) {
      problems.push(problem)
      continue
    }
    const input = await contentOf(file)
    if (input === null) problems.push(w.unreadable(name))
    else {
      together += file.size
      files.push({ name, media_type: typeOf(file, input), bytes: file.size, input })
    }
  }
  return { files, problems }
}

function problemOf(name: string, size: number, together: number): string | null {
  if (size === 0) return w.emptyFile(name)
  if (size > MOST_BYTES) return w.tooLarge(name, f.bytes(size), f.bytes(MOST_BYTES))
  return together + size > MOST_TOGETHER ? w.tooMuch(f.bytes(MOST_TOGETHER)) : null
}

async function contentOf(file: File): Promise<DraftFile['input'] | null> {
  try {
    const bytes = new Uint8Array(await file.arrayBuffer())
    const text = file.type.startsWith('image/') ? null : textOf(bytes)
    return text === null ? { data: base64Of(bytes) } : { text }
  } catch {
    return null
  }
}

function textOf(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

const PIECE = 8_190

function base64Of(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += PIECE)
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + PIECE)))
  return text
}

const typeOf = ({ type }: File, { text }: DraftFile['input']): string =>
  (type === '' ? (text === undefined ? 'application/octet-stream' : 'text/plain') : type).slice(0, 200)
