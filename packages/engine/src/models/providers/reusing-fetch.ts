/** After the last line of an answer nothing of use comes: so much of it, for so long, is read. */
const MOST_BYTES = 65_536
const MOST_MS = 1_000

/**
 * An SDK leaves a stream at its last line, a moment before it is over, and Node closes a connection whose answer was left. Read to its end
 * the connection is there for the next call. Whoever aborts still closes it.
 */
export const reusingFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init)
  const { body } = response
  if (body !== null) leaveWhole(body)
  return response
}

type Body = ReadableStream<Uint8Array>

function leaveWhole(body: Body): void {
  const readerOf = body.getReader.bind(body) as () => ReadableStreamDefaultReader<Uint8Array>
  const reader = () => {
    const made = readerOf()
    // It is let go of first: two cannot read at once.
    made.cancel = async () => void setImmediate(() => readOn(body, readerOf))
    return made
  }
  body.getReader = reader as Body['getReader']
}

async function readOn(body: Body, readerOf: () => ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  if (body.locked) return
  const reader = readerOf()
  const leave = () => void reader.cancel().catch(() => {})
  const clock = setTimeout(leave, MOST_MS)
  try {
    for (let bytes = 0; bytes <= MOST_BYTES; ) {
      const { done, value } = await reader.read()
      if (done) return
      bytes += value.length
    }
    leave()
  } catch {
    // It broke off by itself.
  } finally {
    clearTimeout(clock)
  }
}
