import { fileURLToPath } from 'node:url'
import { describeSource } from '../conformance/describe-source.ts'
import { lineFiles } from '../conformance/line-files.ts'
import { lineOf, messageItem, meta, pathOf } from './codex.test-kit.ts'
import { codexSource } from './index.ts'

describeSource('codex', {
  open: (home) =>
    lineFiles({
      source: codexSource(home),
      fileOf: (id) => pathOf(home, id),
      head: (id) => lineOf(meta(id)),
      lineOf: (text) => lineOf(messageItem('user', text)),
      writer: fileURLToPath(new URL('./writer.child.ts', import.meta.url)),
    }),
})
