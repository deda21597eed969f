import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Client, type FetchLike, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { McpServer } from '@panoptes/schema'

export interface ConnectOptions {
  readonly folder?: string | undefined
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly onClose: () => void
  readonly onToolsChanged: () => void
}

export interface Connection {
  readonly client: Client
  /** Ends the server; a program that does not exit is killed. */
  readonly close: () => Promise<void>
}

/** The maximum size of one message of a server, in bytes. */
const MOST_BYTES = 8 * 1_024 * 1_024
/** How long a program may take to exit by itself. */
const CLOSE_MS = 500
const LOOK_MS = 20

/** Connects to an MCP server. If that fails, it throws and ends whatever was started. */
export async function connect(config: McpServer, options: ConnectOptions): Promise<Connection> {
  options.signal.throwIfAborted()
  const isRemote = config.url !== undefined
  const client = new Client(
    { name: 'panoptes', version: '0.1.0' },
    {
      capabilities: {},
      // A server validates its own inputs; its results are read as they are.
      jsonSchemaValidator: {
        getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
      },
      listChanged: { tools: { onChanged: options.onToolsChanged, autoRefresh: false } },
      // Trying the newer handshake first would start a local program twice.
      ...(isRemote ? { versionNegotiation: { mode: 'auto' as const } } : {}),
    },
  )
  const transport = isRemote ? createHttpTransport(config) : createStdioTransport(config, options.folder)
  const close = () => closeConnection(client, transport)
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

async function closeConnection(
  client: Client,
  transport: TrackedTransport | StreamableHTTPClientTransport,
): Promise<void> {
  const over = Promise.allSettled([client.close(), transport.close()])
  if (transport instanceof StreamableHTTPClientTransport || transport.startedAs === null) {
    await over
    return
  }
  const pid = transport.startedAs
  for (let waited = 0; isAlive(pid) && waited < CLOSE_MS; waited += LOOK_MS) await wait(LOOK_MS)
  sendSignal(pid, 'SIGKILL')
}

/**
 * The SDK drops its reference to the process as soon as closing begins, which takes seconds, so the
 * process is tracked here.
 */
class TrackedTransport extends StdioClientTransport {
  startedAs: number | null = null

  override async start(): Promise<void> {
    await super.start()
    this.startedAs = this.pid
  }
}

const isAlive = (pid: number): boolean => sendSignal(pid, 0)

function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

/** The program gets only basic environment variables and those in the config. */
const createStdioTransport = (
  { command = '', args, env }: McpServer,
  cwd: string | undefined,
): TrackedTransport =>
  new TrackedTransport({
    command: expandHome(command),
    args: args.map(expandHome),
    env: { ...getDefaultEnvironment(), ...env },
    stderr: 'ignore',
    maxBufferSize: MOST_BYTES,
    ...(cwd === undefined ? {} : { cwd }),
  })

/** No shell is involved, so `~` is expanded here. */
const expandHome = (word: string): string =>
  word === '~' || word.startsWith('~/') ? join(process.env.HOME || homedir(), word.slice(1)) : word

const createHttpTransport = ({ url = '', headers }: McpServer): StreamableHTTPClientTransport =>
  new StreamableHTTPClientTransport(new URL(url), {
    // Headers from the config must not follow a redirect to another host.
    requestInit: {
      headers: { ...headers },
      redirect: Object.keys(headers).length === 0 ? 'follow' : 'error',
    },
    fetch: createLimitedFetch(MOST_BYTES),
  })

/** Wraps fetch so that a body over the size limit is cut off. */
const createLimitedFetch =
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
