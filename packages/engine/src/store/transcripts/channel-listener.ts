import type { Client } from 'pg'
import { OwnClient } from '../postgres/primary-client.ts'

const AGAIN_MS = 500
/** The connection is checked this often, because it may be lost without notice. */
const ASK_MS = 15_000

type Hear = (word: string | undefined) => void

interface Listening {
  readonly hearers: Set<Hear>
  readonly end: () => void
}

const all = new Map<string, Listening>()

/**
 * Listens on a channel over one connection per process. It calls `hear` without a payload whenever a message
 * may have been missed. The returned function stops listening.
 */
export function listen(url: string, channel: string, hear: Hear): () => void {
  const key = `${channel}\n${url}`
  const existing = all.get(key)
  const listening = existing ?? startListening(url, channel)
  all.set(key, listening)
  // The connection already exists, so a new listener has missed earlier messages.
  if (existing) queueMicrotask(() => listening.hearers.has(own) && hear(undefined))
  const own: Hear = (word) => hear(word)
  listening.hearers.add(own)
  return () => {
    listening.hearers.delete(own)
    if (listening.hearers.size > 0 || all.get(key) !== listening) return
    all.delete(key)
    listening.end()
  }
}

function startListening(url: string, channel: string): Listening {
  const hearers = new Set<Hear>()
  let client: Client | undefined
  let timer: NodeJS.Timeout | undefined
  let ended = false
  const tell = (word: string | undefined) => {
    for (const hear of [...hearers]) if (hearers.has(hear)) hear(word)
  }
  const drop = (broken: Client) => {
    if (client !== broken) return
    client = undefined
    clearTimeout(timer)
    void broken.end().catch(() => undefined)
    if (!ended) timer = setTimeout(() => void connect(), AGAIN_MS).unref()
  }
  const ask = (own: Client) => {
    timer = setTimeout(() => {
      own.query('SELECT 1').then(
        () => client === own && ask(own),
        () => drop(own),
      )
    }, ASK_MS).unref()
  }
  const connect = async () => {
    const own = new OwnClient({
      connectionString: url,
      application_name: 'panoptes transcripts',
      keepAlive: true,
      connectionTimeoutMillis: 10_000,
      query_timeout: ASK_MS,
    })
    client = own
    own.on('error', () => drop(own))
    own.on('end', () => drop(own))
    own.on('notification', ({ payload }) => tell(payload))
    try {
      await own.connect()
      await own.query(`LISTEN ${channel}`)
      if (ended) return drop(own)
      tell(undefined)
      ask(own)
    } catch {
      drop(own)
    }
  }
  void connect()
  return {
    hearers,
    end: () => {
      ended = true
      clearTimeout(timer)
      const own = client
      if (own) drop(own)
    },
  }
}
