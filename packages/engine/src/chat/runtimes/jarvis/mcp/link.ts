import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client'
import type { McpServer, Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { safeWords } from '../../failed.ts'
import { fieldsOf } from '../../fields.ts'
import { type Connected, connect } from './connect.ts'
import { resultText } from './result-text.ts'

/** A tool as its server tells of it. */
export interface ServedTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
}

export interface LinkOptions {
  readonly folder?: string | undefined
  /** How long a server may take to come up, and to say which tools it has. */
  readonly connectMs?: number | undefined
  /** After a failure it is left alone for so long. */
  readonly restMs?: number | undefined
}

const CONNECT_MS = 30_000
const REST_MS = 15_000
/** What the protocol's own clock is set to; ours rings before. */
const CALL_MS = 24 * 3_600_000

/** One server of tools: spoken to when it is needed, and again after it died. */
export class McpLink {
  readonly #config: McpServer
  readonly #options: LinkOptions
  readonly #stop = new AbortController()
  #connected: Connected | null = null
  #connecting: Promise<Connected> | null = null
  #tools: readonly ServedTool[] | null = null
  #asking: Promise<readonly ServedTool[]> | null = null
  #problem: { readonly message: string; readonly restsUntil: number } | null = null

  constructor(config: McpServer, options: LinkOptions = {}) {
    this.#config = config
    this.#options = options
  }

  /** Why it cannot be used; null where nothing is known against it. */
  get problem(): string | null {
    return this.#problem?.message ?? null
  }

  /** Its tools, from the server itself where they are not known. Fails at once where it failed just now. */
  async tools(): Promise<Result<readonly ServedTool[]>> {
    if (this.#tools && this.#connected) return success(this.#tools)
    if (this.#problem && performance.now() < this.#problem.restsUntil)
      return failure('io', this.#problem.message)
    this.#asking ??= this.#listed().finally(() => {
      this.#asking = null
    })
    try {
      return success(await this.#asking)
    } catch (error) {
      return failure('io', this.#failed(error, this.#options.restMs ?? REST_MS))
    }
  }

  /** Runs a tool. What may have begun is never begun again. */
  async call(
    name: string,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Result<string>> {
    for (let tries = 1; ; tries += 1) {
      try {
        const { client } = await this.#ready()
        const result = await client.callTool({ name, arguments: { ...input } }, { signal, timeout: CALL_MS })
        const text = resultText(result)
        return fieldsOf(result).isError === true ? failure('io', text || 'It failed.') : success(text)
      } catch (error) {
        if (signal.aborted || this.#stop.signal.aborted) return failure('stopped', 'It was stopped.')
        if (ProtocolError.isInstance(error)) return failure('io', safeWords(error.message))
        const message = this.#failed(error)
        if (tries > 1 || !wasNeverBegun(error)) return failure('io', message)
      }
    }
  }

  async close(): Promise<void> {
    this.#stop.abort()
    const connected = this.#connected
    this.#connected = null
    await Promise.allSettled([connected?.close(), this.#connecting?.then(({ close }) => close())])
  }

  #ready(): Promise<Connected> {
    if (this.#connected) return Promise.resolve(this.#connected)
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = null
    })
    return this.#connecting
  }

  async #connect(): Promise<Connected> {
    let made: Connected | null = null
    made = await connect(this.#config, {
      folder: this.#options.folder,
      timeoutMs: this.#options.connectMs ?? CONNECT_MS,
      signal: this.#stop.signal,
      onClose: () => {
        if (made !== null && this.#connected === made) this.#connected = null
      },
      onToolsChanged: () => {
        this.#tools = null
      },
    })
    this.#connected = made
    return made
  }

  async #listed(): Promise<readonly ServedTool[]> {
    const { client } = await this.#ready()
    const options = { timeout: this.#options.connectMs ?? CONNECT_MS, signal: this.#stop.signal }
    const { tools } = client.getServerCapabilities()?.tools
      ? await client.listTools(undefined, { ...options, cacheMode: 'refresh' })
      : { tools: [] }
    this.#problem = null
    this.#tools = tools.map(({ name, description = '', inputSchema }) => ({ name, description, inputSchema }))
    return this.#tools
  }

  /** Who cannot be spoken to is left, and asked anew when somebody needs it. */
  #failed(error: unknown, restMs = 0): string {
    const message = wordsOf(error, this.#config)
    this.#problem = { message, restsUntil: performance.now() + restMs }
    const left = this.#connected
    this.#connected = null
    void left?.close()
    return message
  }
}

/** It did not get there. */
function wasNeverBegun(error: unknown): boolean {
  if (SdkHttpError.isInstance(error)) return error.status === 404
  if (SdkError.isInstance(error)) return error.code === SdkErrorCode.NotConnected
  return reasonIn(error) === 'ECONNREFUSED'
}

const MOST_DEEP = 5

/** The system's word for what is wrong, however deep it stands. */
function reasonIn(error: unknown): string | null {
  let at = fieldsOf(error)
  for (let depth = 0; depth < MOST_DEEP; depth += 1) {
    if (typeof at.code === 'string' && /^(?:E[A-Z]+|UND_ERR_[A-Z_]+)$/.test(at.code)) return at.code
    at = fieldsOf(at.cause ?? fieldsOf(at.data).cause)
  }
  return null
}

function wordsOf(error: unknown, { command, url }: McpServer): string {
  const { code } = fieldsOf(error)
  if (code === 'ENOENT')
    return `There is no program ${command}. Install it, or correct its command in config.yaml.`
  if (code === 'EACCES') return `${command} is not allowed to run.`
  if (SdkHttpError.isInstance(error) && (error.status === 401 || error.status === 403))
    return `It refuses us (${error.status}). Write what it wants under headers in config.yaml.`
  if (SdkError.isInstance(error) && error.code === SdkErrorCode.ConnectionClosed)
    return command === undefined ? 'The connection was closed.' : 'The program ended.'
  if (SdkError.isInstance(error) && error.code === SdkErrorCode.RequestTimeout)
    return 'It did not answer in time.'
  const reason = reasonIn(error)
  if (url !== undefined && reason !== null) return `Nobody answers at ${url} (${reason}).`
  const said = safeWords(error instanceof Error ? error.message : 'It failed.')
  return url === undefined ? said : `Nobody speaks MCP at ${url}: ${said}`
}
