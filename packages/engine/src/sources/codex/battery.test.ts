import { fileURLToPath } from 'node:url'
import { describeSource } from '../battery/describe-source.ts'
import { lineFiles } from '../battery/line-files.ts'
import { lineOf, meta, pathOf, said } from './codex.test-kit.ts'
import { codexSource } from './index.ts'

describeSource('codex', {
  open: (home) =>
    lineFiles({
      source: codexSource(home),
      fileOf: (id) => pathOf(home, id),
      head: (id) => lineOf(meta(id)),
      lineOf: (text) => lineOf(said('user', text)),
      writer: fileURLToPath(new URL('./writer.child.ts', import.meta.url)),
    }),
})
