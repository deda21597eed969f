import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { type MoaRunPart, moaRunPart } from '@panoptes/schema'
import { type Client, stopped } from '../../daemon/client.ts'
import { CommandFailure } from '../../failure.ts'
import type { MoaAccess } from './access.ts'

/** Reads turns and presets from the daemon over HTTP. */
export function ofDaemon(client: Client): MoaAccess {
  const ask = <T>(path: string, query: Readonly<Record<string, string | number | undefined>>): Promise<T> => {
    const given = Object.entries(query).flatMap(([key, value]): [string, string][] =>
      value === undefined ? [] : [[key, String(value)]],
    )
    return client.json<T>(`/api/moa/${path}?${new URLSearchParams(given)}`)
  }
  const follow = async (path: string, body: object, signal: AbortSignal) => {
    const reply = await client.request(`/api/moa/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal,
    })
    return partsOf(reply, signal)
  }
  return {
    turns: (wish) => ask('turns', { ...wish }),
    diff: (turn, other) => ask(`turns/${encodeURIComponent(turn)}/diff`, { with: other }),
    presets: () => ask('presets', {}),
    run: (input, signal) => follow('run', input, signal),
    replay: (input, signal) => follow('replay', input, signal),
  }
}

async function* partsOf(reply: Response, signal: AbortSignal): AsyncGenerator<MoaRunPart, undefined> {
  try {
    const input = Readable.fromWeb(reply.body as never)
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }))
      if (line !== '') yield moaRunPart.parse(JSON.parse(line))
  } catch (error) {
    if (signal.aborted) throw stopped()
    throw new CommandFailure(`The connection to Panoptes broke: ${(error as Error).message}`, {
      code: 'unreachable',
      next: 'Find out why with: panoptes doctor',
    })
  }
}
