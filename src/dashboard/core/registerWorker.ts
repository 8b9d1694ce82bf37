import { signal } from '@preact/signals'

const SCRIPT = 'sw.js'

/** Address of the script in the form that the content security policy asks for. */
interface WorkerPolicy {
  createScriptURL(address: string): string
}

interface TrustedTypesFactory {
  createPolicy(name: string, rules: { createScriptURL(): string }): WorkerPolicy
}

/** A second policy of the same name would be refused. */
const policy = signal<WorkerPolicy | null>(null)

/** Returns the one address that a worker may have. */
function scriptAddress(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypesFactory }
  if (!trustedTypes) return SCRIPT
  policy.value ??= trustedTypes.createPolicy('worker', { createScriptURL: () => SCRIPT })
  return policy.value.createScriptURL(SCRIPT)
}

/**
 * Registers the service worker of the page's folder. Returns null where the browser has none, which
 * includes pages without https.
 */
export async function registerWorker(): Promise<ServiceWorkerRegistration | null> {
  try {
    return (await navigator.serviceWorker?.register(scriptAddress())) ?? null
  } catch {
    // Service workers may be turned off; the page works without.
    return null
  }
}
