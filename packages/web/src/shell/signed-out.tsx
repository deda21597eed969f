import { useEffect } from 'react'
import { queryClient } from '../api/client.ts'
import { meQuery } from '../api/me.ts'
import { pageLoader } from '../api/page-loader.ts'
import { Button } from '../design/button.tsx'
import { Command } from '../design/command.tsx'
import { Empty } from '../design/empty.tsx'
import { pageTail } from '../stream/page-tail.ts'
import { words } from '../words.ts'
import { nameTab, tabNeeds } from './tab-title.ts'

const w = words.signedOut
const t = words.team.signedOut

/** The server does not know this browser. */
export function SignedOut() {
  useEffect(() => {
    tabNeeds.set(0)
    nameTab(w.tab)
    pageTail.stop()
  }, [])
  // Until then this browser knew whether there are several people.
  if (queryClient.getQueryData(meQuery.queryKey)?.team)
    return (
      <main className="flex h-full flex-col bg-surface">
        <Empty title={t.title} eye level={1}>
          <p className="text-text-2">{t.body}</p>
          <div>
            <Button kind="main" onClick={() => pageLoader.load('/')}>
              {t.again}
            </Button>
          </div>
        </Empty>
      </main>
    )
  return (
    <main className="flex h-full flex-col bg-surface">
      <Empty title={w.title} eye level={1}>
        <p className="text-text-2">{w.body}</p>
        <Command text={w.command} />
        <p className="text-12 text-text-3">{w.orInstalled}</p>
        <Command text={w.installed} />
        <p className="text-12 text-text-3">{w.again}</p>
        <div>
          <Button kind="main" onClick={pageLoader.reload}>
            {w.tryAgain}
          </Button>
        </div>
      </Empty>
    </main>
  )
}
