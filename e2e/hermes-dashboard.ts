import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { build } from 'esbuild'
import { ROOT } from './command.ts'

export interface Dashboard {
  readonly origin: string
  readonly stop: () => Promise<void>
}

/** What the Hermes dashboard offers a plugin: React, and a function that registers a tab. */
const SDK = `
  import * as React from 'react'
  import { createRoot } from 'react-dom/client'
  window.__HERMES_PLUGIN_SDK__ = { React }
  window.__HERMES_PLUGINS__ = {
    register: (name, Tab) => {
      const root = createRoot(document.getElementById('tab'))
      document.title = name
      root.render(React.createElement(Tab))
      window.leave = () => root.unmount()
    },
  }
`

/** Serves a page that loads a plugin from the Hermes home like the dashboard, on its own port. */
export async function serveDashboard(plugin: string): Promise<Dashboard> {
  const { outputFiles } = await build({
    stdin: { contents: SDK, resolveDir: join(ROOT, 'packages', 'web') },
    bundle: true,
    write: false,
    format: 'iife',
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  const server = createServer(async (request, answer) => {
    const send = (type: string, body: string | Uint8Array) =>
      answer.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(body)
    if (request.url === '/sdk.js') return send('text/javascript', outputFiles[0]?.contents ?? '')
    const manifest = await readFile(join(plugin, 'dashboard', 'manifest.json'), 'utf8').catch(() => '{}')
    const { entry } = JSON.parse(manifest) as { readonly entry?: string }
    if (entry !== undefined && request.url === `/${entry}`)
      return send('text/javascript', await readFile(join(plugin, 'dashboard', entry)))
    const script = entry === undefined ? '' : `<script src="/${entry}"></script>`
    return send(
      'text/html',
      `<!doctype html><link rel="icon" href="data:,"><main id="tab"></main><script src="/sdk.js"></script>${script}`,
    )
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((stopped) => {
        server.close(() => stopped())
        server.closeAllConnections()
      }),
  }
}
