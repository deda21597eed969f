import { wrongUse } from './words.ts'

const MOST_BYTES = 16 * 1_048_576

/**
 * All that comes in on the standard input. With patience, nothing where a person sits before it or nobody says anything for so long:
 * an input that was left open by whoever started this would else be waited for without end.
 */
export async function readInput(
  input: NodeJS.ReadStream,
  { patienceMs }: { readonly patienceMs?: number } = {},
): Promise<string> {
  if (patienceMs !== undefined && input.isTTY) return ''
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const chunks: Buffer[] = []
  let bytes = 0
  const end = () => resolve(Buffer.concat(chunks).toString('utf8'))
  const timer = patienceMs === undefined ? undefined : setTimeout(end, patienceMs)
  const take = (chunk: Buffer | string) => {
    clearTimeout(timer)
    const part = Buffer.from(chunk)
    bytes += part.length
    if (bytes > MOST_BYTES)
      reject(wrongUse('What was piped in is over 16 MiB', 'Give a shorter conversation.'))
    else chunks.push(part)
  }
  input.on('data', take).once('end', end).once('error', reject)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    input.off('data', take).off('end', end).off('error', reject).pause()
    input.unref?.()
  }
}
