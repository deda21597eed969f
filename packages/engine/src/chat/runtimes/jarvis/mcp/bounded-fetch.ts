import type { FetchLike } from '@modelcontextprotocol/client'

/** Fetches; a body that goes on beyond so many bytes breaks off. */
export const boundedFetch =
  (most: number): FetchLike =>
  async (url, init) => {
    const reply = await fetch(url, init)
    if (reply.body === null) return reply
    let taken = 0
    const bounded = reply.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (bytes, to) => {
          taken += bytes.byteLength
          if (taken > most) to.error(new Error(`The server sent more than ${most} bytes.`))
          else to.enqueue(bytes)
        },
      }),
    )
    const { status, statusText, headers } = reply
    return new Response(bounded, { status, statusText, headers })
  }
