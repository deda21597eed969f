import { hash } from 'node:crypto'
import type { McpServer } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { disarm } from '../../../context/injection.ts'
import { onlySeen } from '../../../context/unseen.ts'
import { cutResult } from '../../../own-tools/index.ts'
import { cutText } from '../../bounded.ts'
import { unlessStopped } from '../../stopped.ts'
import type { JarvisTool } from '../tools/port.ts'
import { type LinkOptions, McpLink, type ServedTool } from './link.ts'
import { toolName } from './names.ts'

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
  /** What all servers have that are there in time. One that is not there hinders no other. */
  readonly tools: (signal: AbortSignal) => Promise<McpTools>
  /** The same for whoever looks whether all is well: speaks to those that were not needed yet. */
  readonly missing: (signal?: AbortSignal) => Promise<readonly MissingServer[]>
  readonly close: () => Promise<void>
}

export interface McpOptions extends LinkOptions {
  /** How long a run waits for a server that is not up yet; the next run does not wait again. */
  readonly waitMs?: number | undefined
}

const WAIT_MS = 5_000
const HEALTH_MS = 1_500
const TIMEOUT_MS = 300_000
const MOST_TOOLS = 100
const MOST_SCHEMA = 32_000
const MOST_DESCRIPTION = 2_000

/** Servers of tools, by their names in the config. Nothing is started before somebody needs it. */
export function openMcpServers(
  configs: Readonly<Record<string, McpServer>>,
  { waitMs = WAIT_MS, ...options }: McpOptions = {},
): McpServers {
  const all = Object.entries(configs).map(([server, config]) => ({
    server,
    config,
    link: new McpLink(config, options),
  }))
  /** Those that a run waited for in vain: nobody waits for them again before they are up. */
  const late = new Set<McpLink>()
  const asked = (signal: AbortSignal, ms: number, onLate = (_link: McpLink): void => {}) =>
    Promise.all(
      all.map(async ({ server, config, link }) => {
        const asking = link.tools().then((told) => {
          if (told.ok) late.delete(link)
          return told
        })
        const tools = await unlessStopped(asking, signal, late.has(link) ? 0 : ms)
        if (tools === null && !signal.aborted) onLate(link)
        if (tools?.ok) return { server, config, link, tools: tools.value, message: null }
        return { server, config, link, tools: [], message: tools?.message ?? 'It is not up yet.' }
      }),
    )
  return {
    tools: async (signal) => {
      const taken = new Set<string>()
      const missing: MissingServer[] = []
      const tools: JarvisTool[] = []
      const servers = await asked(signal, waitMs, (link) => late.add(link))
      for (const { server, config, link, tools: served, message } of servers) {
        if (message !== null) missing.push({ server, message })
        const fit = served.filter((tool) => isFit(tool)).slice(0, MOST_TOOLS - tools.length)
        if (fit.length < served.length) missing.push({ server, message: leftOut(served.length - fit.length) })
        for (const tool of fit) {
          const name = toolName(server, tool.name, taken)
          taken.add(name)
          tools.push(asTool({ name, server, tool, config, link }))
        }
      }
      return { tools, missing }
    },
    missing: async (signal = new AbortController().signal) => {
      const servers = await asked(signal, HEALTH_MS)
      return servers.flatMap(({ server, message }) => (message === null ? [] : [{ server, message }]))
    },
    close: async () => {
      await Promise.all(all.map(({ link }) => link.close()))
    },
  }
}

interface Offered {
  readonly name: string
  readonly server: string
  readonly tool: ServedTool
  readonly config: McpServer
  readonly link: McpLink
}

/** What a server says of its own tools, such as that they only read, allows nothing: the config does, or a person. */
const asTool = ({ name, server, tool, config, link }: Offered): JarvisTool => ({
  name,
  description: cutText(onlySeen(tool.description).text, MOST_DESCRIPTION),
  schema: seenSchema(tool.inputSchema),
  asks: !config.allow.includes(tool.name),
  identity: identityOf(config, tool),
  timeoutMs: TIMEOUT_MS,
  server,
  run: async (input, { signal }) => {
    const done = await link.call(tool.name, input, signal)
    return done.ok ? success(harmless(done.value)) : { ...done, message: harmless(done.message) }
  },
})

const harmless = (text: string): string => disarm(onlySeen(cutResult(text)).text).text

/** A model reads all of it: there is nothing in it that a person does not see. */
const seenSchema = (schema: ServedTool['inputSchema']): ServedTool['inputSchema'] =>
  JSON.parse(onlySeen(JSON.stringify(schema)).text)

/** Who has allowed a tool for good has allowed this one: another program, or one that is described in another way, is another. */
const identityOf = (
  { command, args, url }: McpServer,
  { name, description, inputSchema }: ServedTool,
): string =>
  hash('sha256', JSON.stringify([command, args, url, name, description, inputSchema]), 'hex').slice(0, 32)

const isFit = ({ name, inputSchema }: ServedTool): boolean =>
  name !== '' && JSON.stringify(inputSchema).length <= MOST_SCHEMA

const leftOut = (count: number): string =>
  `${count} of its tools are left out: there are more than ${MOST_TOOLS}, or they are too large.`
