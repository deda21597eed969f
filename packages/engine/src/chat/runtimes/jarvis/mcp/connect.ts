import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { McpServer } from '@panoptes/schema'
import { boundedFetch } from './bounded-fetch.ts'

export interface ConnectOptions {
  readonly folder?: string | undefined
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly onClose: () => void
  readonly onToolsChanged: () => void
}

export interface Connected {
  readonly client: Client
  /** Ends it; a program that does not end by itself is killed. */
  readonly close: () => Promise<void>
}

/** Bytes of one message of a server. */
const MOST_BYTES = 8 * 1_024 * 1_024
/** What a program may take to end by itself. */
const CLOSE_MS = 500
const LOOK_MS = 20

/** Speaks to a server of tools; it throws where that is not possible. Whatever was begun then is ended. */
export async function connect(config: McpServer, options: ConnectOptions): Promise<Connected> {
  options.signal.throwIfAborted()
  const isRemote = config.url !== undefined
  const client = new Client(
    { name: 'panoptes', version: '0.1.0' },
    {
      capabilities: {},
      // A server's own schemas hold for its inputs; what it gives is read as it is.
      jsonSchemaValidator: {
        getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
      },
      listChanged: { tools: { onChanged: options.onToolsChanged, autoRefresh: false } },
      // Trying the newer handshake first would start a program twice.
      ...(isRemote ? { versionNegotiation: { mode: 'auto' as const } } : {}),
    },
  )
  const transport = isRemote ? overHttp(config) : overStdio(config, options.folder)
  const close = () => closed(client, transport)
  client.onclose = options.onClose
  client.onerror = () => {}
  try {
    await client.connect(transport, { timeout: options.timeoutMs, signal: options.signal })
    return { client, close }
  } catch (error) {
    client.onclose = () => {}
    await close()
    throw error
  }
}

async function closed(client: Client, transport: Started | StreamableHTTPClientTransport): Promise<void> {
  const over = Promise.allSettled([client.close(), transport.close()])
  if (transport instanceof StreamableHTTPClientTransport || transport.startedAs === null) {
    await over
    return
  }
  const pid = transport.startedAs
  for (let waited = 0; isAlive(pid) && waited < CLOSE_MS; waited += LOOK_MS) await wait(LOOK_MS)
  signalled(pid, 'SIGKILL')
}

/** The protocol forgets the program as soon as it begins to close it, which takes it seconds. */
class Started extends StdioClientTransport {
  startedAs: number | null = null

  override async start(): Promise<void> {
    await super.start()
    this.startedAs = this.pid
  }
}

const isAlive = (pid: number): boolean => signalled(pid, 0)

function signalled(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

/** Of our own environment it gets what every program needs, and nothing that the config does not say. */
const overStdio = ({ command = '', args, env }: McpServer, cwd: string | undefined): Started =>
  new Started({
    command: atHome(command),
    args: args.map(atHome),
    env: { ...getDefaultEnvironment(), ...env },
    stderr: 'ignore',
    maxBufferSize: MOST_BYTES,
    ...(cwd === undefined ? {} : { cwd }),
  })

/** No shell is between us and a program: what one would write for `~` is written here. */
const atHome = (word: string): string =>
  word === '~' || word.startsWith('~/') ? join(process.env.HOME || homedir(), word.slice(1)) : word

const overHttp = ({ url = '', headers }: McpServer): StreamableHTTPClientTransport =>
  new StreamableHTTPClientTransport(new URL(url), {
    // Whoever is somewhere else is not told what the config says for this address.
    requestInit: {
      headers: { ...headers },
      redirect: Object.keys(headers).length === 0 ? 'follow' : 'error',
    },
    fetch: boundedFetch(MOST_BYTES),
  })
