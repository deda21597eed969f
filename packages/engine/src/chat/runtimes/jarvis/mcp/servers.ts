import { hash } from 'node:crypto'
import type { McpServer } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { stripInvisible } from '../../../context/clean.ts'
import { disarm } from '../../../context/injection.ts'
import { cutResult } from '../../../own-tools/own-tools.ts'
import { raceAbort } from '../../abort-race.ts'
import { cutText } from '../../plain-text.ts'
import type { JarvisTool } from '../tools/calls.ts'
import { type LinkOptions, McpLink, type ServedTool } from './link.ts'

export interface McpTools {
  readonly tools: readonly JarvisTool[]
  /** Servers and tools that are missing, and why. */
  readonly missing: readonly MissingServer[]
}

export interface MissingServer {
  readonly server: string
  readonly message: string
}

export interface McpServers {
  /**
   * Returns the tools of all servers that are available in time. A missing server does not affect
   * the others.
   */
  readonly tools: (signal: AbortSignal) => Promise<McpTools>
  /** Returns the missing servers for a health check, and connects to servers that were not used yet. */
  readonly missing: (signal?: AbortSignal) => Promise<readonly MissingServer[]>
  readonly close: () => Promise<void>
}

export interface McpOptions extends LinkOptions {
  /** How long a run waits for a server to start; the next run does not wait again. */
  readonly waitMs?: number | undefined
}

const WAIT_MS = 5_000
const HEALTH_MS = 1_500
const TIMEOUT_MS = 300_000
const MOST_TOOLS = 100
const MOST_SCHEMA = 32_000
const MOST_DESCRIPTION = 2_000

/** MCP servers by their names in the config. None is started before it is needed. */
export function openMcpServers(
  configs: Readonly<Record<string, McpServer>>,
  { waitMs = WAIT_MS, ...options }: McpOptions = {},
): McpServers {
  const all = Object.entries(configs).map(([server, config]) => ({
    server,
    config,
    link: new McpLink(config, options),
  }))
  /** Servers that a run waited for in vain; no run waits for them again until they are up. */
  const late = new Set<McpLink>()
  const askServers = (signal: AbortSignal, ms: number, onLate = (_link: McpLink): void => {}) =>
    Promise.all(
      all.map(async ({ server, config, link }) => {
        const asking = link.tools().then((result) => {
          if (result.ok) late.delete(link)
          return result
        })
        const tools = await raceAbort(asking, signal, late.has(link) ? 0 : ms)
        if (tools === null && !signal.aborted) onLate(link)
        if (tools?.ok) return { server, config, link, tools: tools.value, message: null }
        return { server, config, link, tools: [], message: tools?.message ?? 'It is still starting.' }
      }),
    )
  return {
    tools: async (signal) => {
      const taken = new Set<string>()
      const missing: MissingServer[] = []
      const tools: JarvisTool[] = []
      const servers = await askServers(signal, waitMs, (link) => late.add(link))
      for (const { server, config, link, tools: served, message } of servers) {
        if (message !== null) missing.push({ server, message })
        const fit = served.filter((tool) => isFit(tool)).slice(0, MOST_TOOLS - tools.length)
        if (fit.length < served.length)
          missing.push({ server, message: formatLeftOut(served.length - fit.length) })
        for (const tool of fit) {
          const name = toolName(server, tool.name, taken)
          taken.add(name)
          tools.push(toJarvisTool({ name, server, tool, config, link }))
        }
      }
      return { tools, missing }
    },
    missing: async (signal = new AbortController().signal) => {
      const servers = await askServers(signal, HEALTH_MS)
      return servers.flatMap(({ server, message }) => (message === null ? [] : [{ server, message }]))
    },
    close: async () => {
      await Promise.all(all.map(({ link }) => link.close()))
    },
  }
}

interface OfferedTool {
  readonly name: string
  readonly server: string
  readonly tool: ServedTool
  readonly config: McpServer
  readonly link: McpLink
}

/**
 * What a server claims about its tools, such as being read-only, grants nothing. Only the config or
 * the user does.
 */
const toJarvisTool = ({ name, server, tool, config, link }: OfferedTool): JarvisTool => ({
  name,
  description: cutText(stripInvisible(tool.description).text, MOST_DESCRIPTION),
  schema: cleanSchema(tool.inputSchema),
  asks: !config.allow.includes(tool.name),
  identity: toolIdentity(config, tool),
  timeoutMs: TIMEOUT_MS,
  server,
  run: async (input, { signal }) => {
    const done = await link.call(tool.name, input, signal)
    return done.ok ? success(disarmText(done.value)) : { ...done, message: disarmText(done.message) }
  },
})

const disarmText = (text: string): string => disarm(stripInvisible(cutResult(text)).text).text

/** The model reads the whole schema, so it must contain nothing that a person cannot see. */
const cleanSchema = (schema: ServedTool['inputSchema']): ServedTool['inputSchema'] =>
  JSON.parse(stripInvisible(JSON.stringify(schema)).text)

/**
 * The identity a permanent approval applies to. A tool of another program, or with another
 * description, has another identity.
 */
const toolIdentity = (
  { command, args, url }: McpServer,
  { name, description, inputSchema }: ServedTool,
): string =>
  hash('sha256', JSON.stringify([command, args, url, name, description, inputSchema]), 'hex').slice(0, 32)

const isFit = ({ name, inputSchema }: ServedTool): boolean =>
  name !== '' && JSON.stringify(inputSchema).length <= MOST_SCHEMA

const formatLeftOut = (count: number): string =>
  `${count} of its tools ${count === 1 ? 'is' : 'are'} left out: the server has more than ${MOST_TOOLS} tools, or ${count === 1 ? 'this one is' : 'these are'} too large.`

const LONGEST = 64
const MARK = 8

/**
 * Returns `server__tool` in characters every provider accepts. A name that had to be changed gets a
 * hash, so that two tools stay distinct.
 */
function toolName(server: string, tool: string, taken: ReadonlySet<string> = new Set()): string {
  const plain = `${server}__${tool}`
  const name = plain.replace(/[^A-Za-z0-9_-]/g, '_')
  if (name === plain && name.length <= LONGEST && !taken.has(name)) return name
  const mark = hash('sha256', JSON.stringify([server, tool]), 'hex').slice(0, MARK)
  return `${name.slice(0, LONGEST - MARK - 1)}_${mark}`
}
