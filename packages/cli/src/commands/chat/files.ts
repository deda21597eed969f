import { readFile, stat } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import type { FileInput } from '@panoptes/schema'
import { EXIT } from '../../exit-codes.ts'
import { CommandFailure } from '../../failure.ts'

const MOST_BYTES = 8_000_000

/** What is no text, by the end of its name. */
const MEDIA: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.pdf': 'application/pdf',
}

/** Files that go with a message: their text, or their bytes. */
export const filesAt = (paths: readonly string[]): Promise<FileInput[]> => Promise.all(paths.map(fileAt))

async function fileAt(path: string): Promise<FileInput> {
  try {
    const { size } = await stat(path)
    if (size > MOST_BYTES) throw new Error(`it is over ${MOST_BYTES / 1_000_000} MB`)
    const bytes = await readFile(path)
    const name = basename(path)
    const media_type = MEDIA[extname(path).toLowerCase()]
    const text = media_type === undefined ? asText(bytes) : null
    return text === null
      ? { name, media_type: media_type ?? 'application/octet-stream', data: bytes.toString('base64') }
      : { name, media_type: 'text/plain', text }
  } catch (error) {
    throw new CommandFailure(`${path} cannot be sent: ${whyNot(error as NodeJS.ErrnoException)}`, {
      code: 'usage',
      next: 'Check the name of the file.',
      exit: EXIT.usage,
    })
  }
}

function whyNot({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'there is no such file'
  if (code === 'EISDIR') return 'it is a folder'
  return code === 'EACCES' ? 'you may not read it' : message
}

function asText(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.includes('\0') ? null : text
  } catch {
    return null
  }
}
