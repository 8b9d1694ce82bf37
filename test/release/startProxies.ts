import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../postgres/engine'
import { afterAll } from '../tools/test'
import { until } from '../tools/until'

/** Starts Debian's nginx and Caddy with configurations from the documents. */

export function findTool(name: string): string | null {
  return Bun.which(name, { PATH: `${process.env.PATH}:/usr/sbin` })
}

/** Lists the tools that are not installed, and prints them at the end of the run. */
export function findMissing(tools: readonly string[], subject: string): string[] {
  const missing = tools.filter((tool) => findTool(tool) === null)
  afterAll(() => {
    for (const tool of missing)
      process.stderr.write(`!!! NOT TESTED, ${tool} is not installed: ${subject} !!!\n`)
  })
  return missing
}

/** First group of the first match of the pattern in a document. */
export function readDocument(name: string, pattern: RegExp): string {
  const text = readFileSync(join(import.meta.dir, '../../docs', name), 'utf8')
  const [, snippet] = pattern.exec(text) ?? []
  if (!snippet) throw new Error(`docs/${name} has nothing like ${pattern}`)
  return snippet
}

/** Starts proxies that store their files in the folder and end after the tests of the file. */
export function proxiesIn(cwd: string) {
  const children: Bun.Subprocess[] = []
  afterAll(() => {
    for (const child of children) child.kill()
  })

  const start = async (port: number, words: string[]): Promise<string> => {
    const address = `https://127.0.0.1:${port}`
    const log = join(cwd, 'proxy.log')
    const child = Bun.spawn(words, { cwd, stdout: 'ignore', stderr: Bun.file(log) })
    children.push(child)
    const isReady = () =>
      fetch(`${address}/health/live`, insecure).then(
        () => true,
        () => false,
      )
    await until(isReady, (ready) => ready || child.exitCode !== null)
    if (child.exitCode !== null) throw new Error(readFileSync(log, 'utf8'))
    return address
  }

  return {
    /** Serves a site of a Caddyfile over TLS and returns its address. */
    async startCaddy(site: string): Promise<string> {
      const port = await freePort()
      const storage = join(cwd, 'caddy')
      const config = site.replace(
        'plural.example.org {',
        `https://127.0.0.1:${port} {\n\ttls internal`,
      )
      const file = join(cwd, 'Caddyfile')
      writeFileSync(
        file,
        `{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n\tstorage file_system ${storage}\n}\n${config}`,
      )
      return start(port, ['caddy', 'run', '--config', file, '--adapter', 'caddyfile'])
    },
    /** Serves a site of nginx over TLS and returns its address. */
    async startNginx(site: string): Promise<string> {
      const port = await freePort()
      const [certificate, key] = [join(cwd, 'cert.pem'), join(cwd, 'key.pem')]
      Bun.spawnSync([
        ...['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost'],
        ...['-keyout', key, '-out', certificate, '-days', '2'],
      ])
      const config = site
        .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
        .replace(/ssl_certificate {5}\S+;/, `ssl_certificate ${certificate};`)
        .replace(/ssl_certificate_key \S+;/, `ssl_certificate_key ${key};`)
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map((what) => `${what}_temp_path ${join(cwd, what)};`)
        .join('\n')
      const file = join(cwd, 'nginx.conf')
      writeFileSync(
        file,
        `daemon off; pid ${join(cwd, 'nginx.pid')}; error_log stderr; events {}
         http { access_log off; ${temporary} ${config} }`,
      )
      return start(port, [findTool('nginx') ?? '', '-c', file, '-p', cwd])
    },
  }
}

/** Accepts self-signed certificates. */
export const insecure = { tls: { rejectUnauthorized: false } }
