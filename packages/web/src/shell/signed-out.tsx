import { useEffect } from 'react'
import { Button } from '../design/button.tsx'
import { Command } from '../design/command.tsx'
import { Empty } from '../design/empty.tsx'
import { pageTail } from '../stream/page-tail.ts'
import { words } from '../words.ts'
import { nameTab, tabNeeds } from './tab-title.ts'

const w = words.signedOut

/** The server does not know this browser. */
export function SignedOut() {
  useEffect(() => {
    tabNeeds.set(0)
    nameTab(w.tab)
    pageTail.stop()
  }, [])
  return (
    <main className="flex h-full flex-col bg-surface">
      <Empty title={w.title} eye level={1}>
        <p className="text-text-2">{w.body}</p>
        <Command text={w.command} />
        <p className="text-12 text-text-3">{w.orInstalled}</p>
        <Command text={w.installed} />
        <p className="text-12 text-text-3">{w.again}</p>
        <div>
          <Button kind="main" onClick={() => location.reload()}>
            {w.tryAgain}
          </Button>
        </div>
      </Empty>
    </main>
  )
}
