import { Link } from '@tanstack/react-router'
import { pageLoader } from '../api/page-loader.ts'
import { Button, buttonClass } from '../design/button.tsx'
import { CopyButton } from '../design/copy-button.tsx'
import { Empty } from '../design/empty.tsx'
import { words } from '../words.ts'
import { Page } from './page.tsx'

const w = words.errors

/** Replaces a page that crashed; the rest of the window keeps working. */
export function FailedPage({ error }: { readonly error: unknown }) {
  const details = error instanceof Error ? `${error.message}\n${error.stack ?? ''}` : String(error)
  return (
    <Page title={w.crashTitle}>
      <Empty title={w.crashTitle}>
        <p className="text-text-2">{w.crashNext}</p>
        <p className="rounded-control border border-line bg-app px-3 py-2 font-mono text-12 break-words text-text-2">
          {details.split('\n')[0]}
        </p>
        <div className="flex gap-2">
          <Button kind="main" onClick={pageLoader.reload}>
            {words.actions.reload}
          </Button>
          <CopyButton text={details} label={w.copyDetails} />
        </div>
      </Empty>
    </Page>
  )
}

export function NotFoundPage() {
  return (
    <Page title={w.notFoundTitle}>
      <Empty title={w.notFoundTitle} eye>
        <p className="text-text-2">{w.notFoundNext}</p>
        <div>
          <Link to="/" className={buttonClass('main')}>
            {w.goLive}
          </Link>
        </div>
      </Empty>
    </Page>
  )
}
