import { Menu as Base } from '@base-ui/react/menu'
import type { MeReply } from '@panoptes/schema'
import { useNavigate } from '@tanstack/react-router'
import { pageLoader } from '../api/page-loader.ts'
import { postJson } from '../api/request.ts'
import { Icon } from '../design/icon.tsx'
import { itemClass, MenuList } from '../design/menu-list.tsx'
import { toast } from '../design/toast.tsx'
import { words } from '../words.ts'
import { WhoFace, whoClass } from './account.tsx'

const w = words.team.who

/** Reloads the page afterwards, because all its data belongs to the previous space or person. */
async function postAndReload(path: string, body?: unknown): Promise<void> {
  try {
    await postJson(path, body)
    pageLoader.load('/')
  } catch (error) {
    toast({ text: error instanceof Error ? error.message : String(error), tone: 'failed' })
  }
}

export default function WhoMenu({ me, name }: { readonly me: MeReply; readonly name: string }) {
  const navigate = useNavigate()
  return (
    <Base.Root modal={false} defaultOpen>
      <Base.Trigger className={whoClass} aria-label={w.label(name, me.space)}>
        <WhoFace name={name} />
      </Base.Trigger>
      <MenuList align="end" className="min-w-52">
        <Base.Group>
          <Base.GroupLabel className="px-2 py-1 text-11 text-text-3">{w.spaces}</Base.GroupLabel>
          {me.spaces.map((space) => (
            <Base.Item
              key={space.name}
              className={itemClass}
              disabled={space.name === me.space}
              onClick={() => void postAndReload('/api/me/space', { space: space.name })}
            >
              <span className="flex w-3.5 text-gold-text">
                {space.name === me.space && <Icon name="check" size={14} />}
              </span>
              <span className="flex-1 truncate">{space.name}</span>
              <span className="pl-4 text-11 text-text-3">
                {w.as(space.role)}
                {space.name === me.space && <span className="sr-only">, {w.here}</span>}
              </span>
            </Base.Item>
          ))}
        </Base.Group>
        <Base.Group className="mt-1 border-t border-line pt-1">
          {me.role === 'admin' && (
            <Base.Item className={itemClass} onClick={() => void navigate({ to: '/settings', hash: 'team' })}>
              <span className="flex w-3.5 text-text-3">
                <Icon name="settings" size={14} />
              </span>
              {w.toTeam}
            </Base.Item>
          )}
          <Base.Item className={itemClass} onClick={() => void postAndReload('/auth/sign-out')}>
            <span className="flex w-3.5 text-text-3">
              <Icon name="close" size={14} />
            </span>
            {w.signOut}
          </Base.Item>
        </Base.Group>
      </MenuList>
    </Base.Root>
  )
}
