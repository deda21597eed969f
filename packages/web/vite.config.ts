import { resolve } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { build, defineConfig, type Plugin } from 'vite'

const daemon = 'http://127.0.0.1:8201'

export default defineConfig({
  plugins: [react(), tailwind(), compressed(), replayPage()],
  base: '/',
  build: {
    outDir: 'dist',
    target: 'es2022',
    // The content security policy allows nothing inline: no data: addresses and no inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
  server: {
    proxy: {
      '/api': daemon,
      '/stream': { target: daemon, ws: true },
    },
  },
})

/** Builds the replay page after the main page. */
function replayPage(): Plugin {
  let root = ''
  let outDir = ''
  return {
    name: 'replay-page',
    apply: 'build',
    configResolved: (config) => {
      root = config.root
      outDir = resolve(root, config.build.outDir, 'replay')
    },
    closeBundle: async () => {
      const configFile = `${root}/vite.replay.config.ts`
      // The replay page goes to the same output folder.
      await build({ root, configFile, logLevel: 'warn', build: { outDir, emptyOutDir: true } })
    },
  }
}

/** Writes compressed versions beside each file, which the server sends to browsers that accept them. */
function compressed(): Plugin {
  const worthIt = /\.(js|css|svg)$/
  return {
    name: 'compressed',
    apply: 'build',
    generateBundle: {
      // This runs after vite has put the preload lists into the code.
      order: 'post',
      handler(_options, bundle) {
        for (const [name, file] of Object.entries(bundle)) {
          if (!worthIt.test(name)) continue
          const source = file.type === 'chunk' ? file.code : file.source
          const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
          this.emitFile({
            type: 'asset',
            fileName: `${name}.br`,
            source: brotliCompressSync(source, { params }),
          })
          this.emitFile({ type: 'asset', fileName: `${name}.gz`, source: gzipSync(source, { level: 9 }) })
        }
      },
    },
  }
}
