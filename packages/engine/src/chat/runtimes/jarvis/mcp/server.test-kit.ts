import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { McpServer } from '@panoptes/schema'

const SERVER = fileURLToPath(new URL('./server.test-kit.mjs', import.meta.url))

/** A server entry as the config has it. */
export const mcpServer = (given: Partial<McpServer>): McpServer => ({
  args: [],
  env: {},
  headers: {},
  allow: [],
  ...given,
})

export const overStdio = (more: Partial<McpServer> = {}): McpServer =>
  mcpServer({ command: process.execPath, args: [SERVER, 'stdio'], ...more })

/** A program that starts and never sends anything. */
export const silent = (): McpServer => mcpServer({ command: process.execPath, args: [SERVER, 'silent'] })

export interface HttpServer {
  readonly url: string
  readonly port: number
  readonly kill: () => Promise<void>
}

/** Starts the same server over HTTP in a separate process. */
export async function startHttpServer(
  port = 0,
  env: Readonly<Record<string, string>> = {},
): Promise<HttpServer> {
  const child: ChildProcess = spawn(process.execPath, [SERVER, 'http', String(port)], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env.PATH, ...env },
  })
  const [said] = await once(child.stdout as NodeJS.ReadableStream, 'data')
  const at = Number(String(said))
  return {
    url: `http://127.0.0.1:${at}/mcp`,
    port: at,
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

export const overHttp = (url: string, more: Partial<McpServer> = {}): McpServer => mcpServer({ url, ...more })
