import type { ChatFile, FileInput } from '@panoptes/schema'
import { toVisibleLine } from '@panoptes/schema/shown'
import * as f from '../../format.ts'
import { words } from '../../words.ts'

const w = words.chat.composer

/** The limits of one message: how many files, and how large the server accepts them after base64 encoding. */
export const MOST_FILES = 20
export const MOST_BYTES = 8 * 1_048_576
const MOST_TOGETHER = 20 * 1_048_576

export interface DraftFile extends ChatFile {
  readonly input: Pick<FileInput, 'text' | 'data'>
}

export interface ReadFiles {
  readonly files: readonly DraftFile[]
  /** Why some files were rejected. */
  readonly problems: readonly string[]
}

/** Encodes files for a message: text files as text, all others as bytes. */
export async function readFiles(chosen: readonly File[], already: readonly DraftFile[]): Promise<ReadFiles> {
  const files: DraftFile[] = []
  const problems: string[] = []
  let together = already.reduce((sum, { bytes }) => sum + bytes, 0)
  for (const file of chosen) {
    const name = toVisibleLine(file.name || w.unnamed, 255)
    if (already.length + files.length >= MOST_FILES) {
      problems.push(w.tooMany(MOST_FILES))
      break
    }
    const problem = findProblem(name, file.size, together)
    if (problem !== null) {
      problems.push(problem)
      continue
    }
    const input = await readContent(file)
    if (input === null) problems.push(w.unreadable(name))
    else {
      together += file.size
      files.push({ name, media_type: mediaType(file, input), bytes: file.size, input })
    }
  }
  return { files, problems }
}

function findProblem(name: string, size: number, together: number): string | null {
  if (size === 0) return w.emptyFile(name)
  if (size > MOST_BYTES) return w.tooLarge(name, f.bytes(size), f.bytes(MOST_BYTES))
  return together + size > MOST_TOGETHER ? w.tooMuch(f.bytes(MOST_TOGETHER)) : null
}

async function readContent(file: File): Promise<DraftFile['input'] | null> {
  try {
    const bytes = new Uint8Array(await file.arrayBuffer())
    const text = file.type.startsWith('image/') ? null : decodeText(bytes)
    return text === null ? { data: encodeBase64(bytes) } : { text }
  } catch {
    return null
  }
}

function decodeText(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

const PIECE = 8_190

function encodeBase64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += PIECE)
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + PIECE)))
  return text
}

const mediaType = ({ type }: File, { text }: DraftFile['input']): string =>
  (type === '' ? (text === undefined ? 'application/octet-stream' : 'text/plain') : type).slice(0, 200)
