import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Builds the replay page as one script and one style sheet, which are inlined into a single file later. */
export default defineConfig({
  plugins: [react(), tailwind()],
  base: './',
  publicDir: false,
  build: {
    outDir: 'dist/replay',
    target: 'es2022',
    modulePreload: false,
    cssCodeSplit: false,
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      input: 'replay.html',
      output: {
        codeSplitting: false,
        entryFileNames: 'replay.js',
        assetFileNames: 'replay[extname]',
      },
    },
  },
})
