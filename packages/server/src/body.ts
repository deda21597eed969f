import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { type Refusal, tooLarge, tryAgain } from './problem.ts'

const inflate = promisify(gunzip)

/** All bodies together that are read at one time. */
const MOST_AT_ONCE = 134_217_728
let held = 0

type Read = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly refusal: Refusal }

/** The text of a body, inflated where it is gzip; neither the one nor the other may be over the limit. */
export async function readBody(incoming: IncomingMessage, limit: number): Promise<Read> {
  const encoding = incoming.headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity' && encoding !== 'gzip') return refuse(unknownEncoding(encoding))
  if (Number(incoming.headers['content-length'] ?? 0) > limit) return refuse(tooLarge(limit))
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      bytes += chunk.length
      held += chunk.length
      if (bytes > limit) return refuse(tooLarge(limit))
      if (held > MOST_AT_ONCE) return refuse(tryAgain('Too many large bodies came at once.'))
      chunks.push(chunk)
    }
    const raw = Buffer.concat(chunks)
    const plain = encoding === 'gzip' ? await inflate(raw, { maxOutputLength: limit }) : raw
    return { ok: true, text: plain.toString('utf8') }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return refuse(code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge(limit) : unreadable)
  } finally {
    held -= bytes
  }
}

const refuse = (refusal: Refusal): Read => ({ ok: false, refusal })

const unknownEncoding = (encoding: string): Refusal => ({
  status: 415,
  code: 'unknown_encoding',
  title: 'Unknown encoding',
  detail: `A body encoded as ${encoding.slice(0, 40)} cannot be read.`,
  next: 'Send it plain or as gzip.',
  headers: { 'accept-encoding': 'gzip' },
})

const unreadable: Refusal = {
  status: 400,
  code: 'invalid',
  title: 'Bad request',
  detail: 'The body ended early or is not the gzip it says it is.',
  next: 'Send it again.',
}
